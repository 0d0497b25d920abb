"""The queue of episodes: order, parts, limits, where it was left, and how far it is."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trajview.annotation.progress import Progress
from trajview.annotation.queue import Plan, Tally, duration_text, left_at, next_in, tally

KEYS = [f"episode-{number}" for number in range(12)]
EPISODES = [(key, key) for key in KEYS]
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)

keys = st.lists(st.text(min_size=1, max_size=6), unique=True, max_size=30)


def test_the_order_of_the_files_is_kept_by_default() -> None:
    assert Plan().order(EPISODES) == KEYS
    assert Plan(limit=3).order(EPISODES) == KEYS[:3]


def test_a_seed_gives_the_same_order_everywhere() -> None:
    # Written down: an annotator goes on next week, perhaps on another machine.
    assert Plan(seed="7").order(EPISODES)[:4] == ["episode-5", "episode-6", "episode-8", "episode-4"]
    assert Plan(seed="8").order(EPISODES) != Plan(seed="7").order(EPISODES)


@given(keys, st.text(max_size=3))
def test_a_shuffled_queue_holds_every_episode_once(keys: list[str], seed: str) -> None:
    assert sorted(Plan(seed=seed).order([(key, key) for key in keys])) == sorted(keys)


@given(keys, st.text(max_size=3), st.data())
def test_an_episode_less_leaves_the_others_in_their_order(keys: list[str], seed: str, data: st.DataObject) -> None:
    kept = [key for key in keys if data.draw(st.booleans())]
    all_of_them = Plan(seed=seed).order([(key, key) for key in keys])
    assert Plan(seed=seed).order([(key, key) for key in kept]) == [key for key in all_of_them if key in kept]


@given(keys, st.integers(1, 5), st.sampled_from([None, "1", "2"]))
def test_parts_share_no_episode_and_leave_none_out(keys: list[str], parts: int, seed: str | None) -> None:
    episodes = [(key, key) for key in keys]
    dealt = [Plan(seed=seed, part=(part, parts)).order(episodes) for part in range(1, parts + 1)]
    assert sorted(key for part in dealt for key in part) == sorted(keys)
    assert max(map(len, dealt)) - min(map(len, dealt)) <= 1


def test_annotators_who_shuffle_differently_still_share_no_episode() -> None:
    ada = Plan(seed="ada", part=(1, 2)).order(EPISODES)
    bo = Plan(seed="bo", part=(2, 2)).order(EPISODES)
    assert sorted(ada + bo) == sorted(KEYS)


def test_ids_give_the_episodes_and_their_order() -> None:
    plan = Plan(ids=("episode-5", "nowhere", "episode-2", "episode-5"))
    assert plan.order(EPISODES) == ["episode-5", "episode-2"]
    assert plan.missing(EPISODES) == ["nowhere"]


def test_an_id_that_repeats_names_all_its_episodes_and_a_key_names_one() -> None:
    episodes = [("a", "a"), ("a@1f", "a"), ("b@2e", "b")]
    assert Plan(ids=("b", "a")).order(episodes) == ["b@2e", "a"]
    assert Plan(ids=("a@1f",)).order(episodes) == ["a@1f"]
    assert Plan(ids=("a", "a@1f", "b")).missing(episodes) == []


def test_the_next_one_waits_and_comes_behind_the_last_and_then_round() -> None:
    progress = {
        "episode-1": Progress("submitted"),
        "episode-2": Progress("skipped", reason="cut off"),
        "episode-3": Progress("draft"),
    }
    assert next_in(KEYS, progress, "episode-0") == "episode-3"
    assert next_in(KEYS, progress, "episode-11") == "episode-0"
    assert next_in(KEYS, {}, "not in it") == "episode-0"
    done = {key: Progress("submitted") for key in KEYS}
    assert next_in(KEYS, done, "episode-4") is None
    # The one that was just left as a draft is not its own next one.
    assert next_in(KEYS, done | {"episode-4": Progress("draft")}, "episode-4") is None


def test_a_queue_goes_on_with_the_draft_that_was_worked_on_last() -> None:
    progress = {
        "episode-0": Progress("submitted"),
        "episode-4": Progress("draft", changed_at=NOON),
        "episode-3": Progress("draft", changed_at=NOON + timedelta(minutes=1)),
        "episode-9": Progress("draft"),
    }
    assert left_at(KEYS, progress) == "episode-3"
    assert left_at(KEYS, {"episode-0": Progress("submitted")}) == "episode-1"
    assert left_at([], {}) is None


def test_a_flag_does_not_make_an_episode_done() -> None:
    assert left_at(KEYS, {"episode-0": Progress("not started", flagged=True)}) == "episode-0"


def test_a_tally_counts_times_and_looks_ahead() -> None:
    progress = {
        "episode-0": Progress("submitted", seconds=100.0),
        "episode-1": Progress("submitted", seconds=200.0, flagged=True),
        "episode-2": Progress("submitted"),  # came from elsewhere: nobody timed it
        "episode-3": Progress("skipped", seconds=500.0),
        "episode-4": Progress("draft", seconds=9.0),
        "elsewhere": Progress("submitted", seconds=1.0),
    }
    found = tally(KEYS, progress)
    assert found == Tally(12, submitted=3, skipped=1, drafts=1, flagged=1, seconds_each=150.0)
    assert (found.left, found.seconds_left) == (8, 1200.0)
    assert found.said() == "3 of 12 annotated · 1 skipped · 1 flagged · 2 min each · 20 min left"
    assert tally(KEYS, {}).said() == "0 of 12 annotated"


@pytest.mark.parametrize(
    ("seconds", "said"),
    [(0.2, "1 s"), (45, "45 s"), (59.6, "1 min"), (250, "4 min"), (3570, "1 h"), (9060, "2 h 31 min")],
)
def test_durations_are_said_as_people_do(seconds: float, said: str) -> None:
    assert duration_text(seconds) == said
