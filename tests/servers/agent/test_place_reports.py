from servers.agent.place_reports import Loss, PlaceReports


def test_the_last_loss_after_a_point_in_time_counts():
    reports = PlaceReports()
    reports.lost("Ada", Loss.NODE)
    before = reports.number
    assert reports.since(before, "Ada") is None
    assert reports.since(0, "Ada") is Loss.NODE
    reports.lost("Ada", Loss.OWN)
    assert reports.since(before, "Ada") is Loss.OWN


def test_an_agent_of_a_lost_machine_is_away_until_it_is_back_or_ends_by_itself():
    reports = PlaceReports()
    reports.lost("Ada", Loss.NODE)
    reports.lost("Bob", Loss.NODE)
    assert reports.away(["Ada", "Bob", "Cyd"]) == {"Ada", "Bob"}
    reports.back("Ada")
    reports.lost("Bob", Loss.OWN)
    assert reports.away(["Ada", "Bob"]) == set()
