# One image for every agent: `docker build -t mcp-agent-league .`, then `docker run mcp-agent-league manager --help`.
# A tag may be moved. To build on the bytes that you checked: `--build-arg BASE=python:3.13.9-slim-trixie@sha256:…`, with the
# digest that `docker buildx imagetools inspect python:3.13.9-slim-trixie` shows.
ARG BASE=python:3.13.9-slim-trixie
FROM ${BASE} AS build
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1
WORKDIR /src
RUN python -m venv /opt/league && python -m venv /opt/build
# What seldom changes first, so that its layers are made once.
COPY requirements/ requirements/
RUN /opt/league/bin/pip install -r requirements/run.txt -r requirements/image.txt \
    && /opt/build/bin/pip install -r requirements/build.txt
COPY pyproject.toml README.md LICENSE ./
COPY config/ config/
COPY league_sdk/ league_sdk/
COPY clients/ clients/
COPY servers/ servers/
COPY game_rules/ game_rules/
RUN /opt/build/bin/python -c "from hatchling.build import build_wheel; build_wheel('/wheels')" \
    && /opt/league/bin/pip install --no-deps /wheels/*.whl \
    && /opt/league/bin/pip uninstall --yes pip

# For nodes of a Ray cluster: `docker build --target ray -t mcp-agent-league-ray .`
FROM rayproject/ray:2.60.0-py313 AS ray
WORKDIR /src
COPY requirements/ requirements/
COPY --from=build /wheels/ wheels/
RUN pip install --no-cache-dir -r requirements/run.txt -r requirements/image.txt \
    && pip install --no-cache-dir --no-deps wheels/*.whl
WORKDIR /tmp
USER 1000:100

FROM ${BASE}
ENV PATH=/opt/league/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    LEAGUE_DATA=/var/lib/league \
    LEAGUE_NETWORK__BIND_HOST=0.0.0.0 \
    READY_URL=http://127.0.0.1:8000/readyz
RUN groupadd --gid 10001 league \
    && useradd --uid 10001 --gid league --no-create-home --home-dir /var/lib/league --shell /usr/sbin/nologin league \
    && install --directory --owner=league --group=league --mode=0700 /var/lib/league
COPY --from=build /opt/league /opt/league
USER 10001:10001
WORKDIR /var/lib/league
VOLUME /var/lib/league
EXPOSE 8000
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 \
    CMD ["python", "-c", "import os, urllib.request; urllib.request.urlopen(os.environ['READY_URL'], timeout=4)"]
STOPSIGNAL SIGTERM
ENTRYPOINT ["league"]
CMD ["--help"]
