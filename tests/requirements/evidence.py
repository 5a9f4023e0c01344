"""The rule which tests show what a program does, and which only look at a page or a table."""

ABOUT_PAGES = (
    "tests/docs/",
    "tests/league_sdk/protocol/test_catalog.py::test_every_tool_says_what_it_is",
    "tests/league_sdk/protocol/test_catalog.py::test_the_catalogue_holds_the_protocol_s_table",
    "tests/league_sdk/protocol/test_schema.py::test_examples_and_defaults_are_valid",
    "tests/league_sdk/test_errors.py::test_a_number_that_the_contracts_leave_open_is_the_codes_own",
    "tests/league_sdk/test_errors.py::test_every_error_class_has_a_row",
    "tests/league_sdk/test_errors.py::test_no_two_errors_of_one_request_share_a_number_except_malformed_ones",
    "tests/league_sdk/test_errors.py::test_numbers_are_those_of_the_contracts",
    "tests/league_sdk/test_errors.py::test_the_table_has_the_protocols_codes_and_no_other",
    "tests/servers/test_contracts.py::test_a_documented_reply_is_one",
    "tests/servers/test_contracts.py::test_a_documented_request_is_taken",
    "tests/servers/test_contracts.py::test_no_example_is_left_out",
    "tests/servers/test_error_codes.py::test_every_number_of_the_contracts_is_there",
    "tests/servers/test_error_codes.py::test_no_code_is_left_out",
)
"""Folders of tests, and tests, that compare pages, examples and tables with one another or with data."""


def is_about_pages(test: str) -> bool:
    """Whether a test looks at a page, an example or a table, and so shows nothing of what a program does."""
    return test.startswith(ABOUT_PAGES)
