"""Scenarios of the official conformance suite, with reasons for those that do not apply.

Many scenarios call tools, resources and prompts of a test server that the suite's authors describe. Those that can be
served by the parts of our agents are served so, beside the agents; the others are about things that no agent does.
"""

REQUIRED = "2025-11-25", "2026-07-28"
"""The revisions whose requirements are tried."""

APPLY = {
    "server-initialize": ("2025-11-25",),
    "server-session-lifecycle": ("2025-11-25",),
    "server-stateless": ("2026-07-28",),
    "ping": ("2025-11-25",),
    "tools-list": REQUIRED,
    "resources-list": REQUIRED,
    "prompts-list": REQUIRED,
    "resources-subscribe": ("2025-11-25",),
    "resources-unsubscribe": ("2025-11-25",),
    "sep-2164-resource-not-found": ("2026-07-28",),
    "caching": ("2026-07-28",),
    "dns-rebinding-protection": REQUIRED,
    "server-sse-multiple-streams": REQUIRED,
    "http-header-validation": ("2026-07-28",),
    "input-required-result-unsupported-methods": ("2026-07-28",),
    "input-required-result-missing-input-response": ("2026-07-28",),
    "input-required-result-ignore-extra-params": ("2026-07-28",),
    "input-required-result-validate-input": ("2026-07-28",),
}
"""Scenarios that every agent passes, by the revisions that have them."""

WITH_SESSIONS = (
    "server-session-lifecycle",
    "server-sse-multiple-streams",
    "resources-subscribe",
    "resources-unsubscribe",
)
"""Those that need a session under the handshake revisions: they are passed at `/mcp/session`."""

FIXTURES = {
    "completion-complete": REQUIRED,
    "tools-call-simple-text": REQUIRED,
    "resources-read-text": REQUIRED,
    "resources-templates-read": REQUIRED,
    "prompts-get-simple": REQUIRED,
    "prompts-get-with-args": REQUIRED,
}
"""Scenarios that ask for things of a test server: these are put on a shelf of ours, and pass."""

UNTESTABLE = {
    "sep-2575-server-rejects-undeclared-capability": "no tool of ours needs a capability of the client",
    "sep-2575-missing-capability-http-400": "no tool of ours needs a capability of the client",
    "sep-2575-http-server-no-independent-requests-on-stream": "no tool of ours asks its caller anything",
    "sep-2575-server-no-log-without-loglevel": "agents send no log messages to their callers",
    "sep-2243-server-accepts-whitespace-header-value": "its call has no arguments, which our tools refuse; the "
    "white space is taken, and a test of ours says so",
}
"""Checks within scenarios that apply, which cannot be tried, and why."""

_CONTENT = "our tools answer with a message of the protocol, as JSON, or with text"
_ASKING = "no tool of ours asks its caller for anything while it works"
_TASKS = "an extension; no tool of ours runs as a task, since every call has a time limit of seconds"

DO_NOT_APPLY = {
    "logging-set-level": "agents send no log messages to their callers; the method is gone from 2026-07-28",
    "tools-call-image": _CONTENT,
    "tools-call-audio": _CONTENT,
    "tools-call-embedded-resource": _CONTENT,
    "tools-call-mixed-content": _CONTENT,
    "tools-call-with-logging": "agents send no log messages to their callers",
    "tools-call-error": "a refused call is a JSON-RPC error that carries a LEAGUE_ERROR (decision 0027)",
    "tools-call-with-progress": "calls of the protocol are short, and report no progress",
    "tools-call-sampling": _ASKING,
    "tools-call-elicitation": _ASKING,
    "elicitation-sep1034-defaults": _ASKING,
    "elicitation-sep1330-enums": _ASKING,
    "server-sse-polling": "replies are plain JSON (decision 0041), so there is no stream to take up again",
    "resources-read-binary": "all our resources are text",
    "prompts-get-embedded-resource": "our prompts carry their data as marked text",
    "prompts-get-with-image": "our prompts are text",
    "json-schema-2020-12": "it wants a certain tool of a test server; still pending in the suite",
    "http-custom-header-server-validation": "no tool of ours has its arguments repeated in headers; still pending",
    "input-required-result-basic-elicitation": _ASKING,
    "input-required-result-basic-sampling": _ASKING,
    "input-required-result-basic-list-roots": _ASKING,
    "input-required-result-request-state": _ASKING,
    "input-required-result-multiple-input-requests": _ASKING,
    "input-required-result-multi-round": _ASKING,
    "input-required-result-non-tool-request": _ASKING,
    "input-required-result-result-type": _ASKING,
    "input-required-result-tampered-state": _ASKING,
    "input-required-result-capability-check": _ASKING,
    "tasks-lifecycle": _TASKS,
    "tasks-capability-negotiation": _TASKS,
    "tasks-wire-fields": _TASKS,
    "tasks-request-state-removal": _TASKS,
    "tasks-mrtr-input": _TASKS,
    "tasks-request-headers": _TASKS,
    "tasks-dispatch-and-envelope": _TASKS,
    "tasks-status-notifications": _TASKS,
    "tasks-required-task-error": _TASKS,
    "tasks-mrtr-composition": _TASKS,
}
"""Scenarios that are about something else, and why."""
