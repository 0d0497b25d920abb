"""A store that is Sotopia's own data folder: only annotations of episodes get in."""

from __future__ import annotations

from pathlib import Path

import pytest

from trajview.annotation.draft import Draft
from trajview.annotation.rubric import reward_rubric
from trajview.app.app import make_app
from trajview.config import Settings
from trajview.corpus.corpus import open_corpus
from trajview.errors import AnnotationError

SAMPLES = Path(__file__).parents[2] / "sample_data"


def test_a_run_that_is_no_episode_is_refused_there_unless_forced(tmp_path: Path) -> None:
    (tmp_path / "EpisodeLog").mkdir()
    corpus = open_corpus(SAMPLES)
    settings = Settings(paths=(SAMPLES,), store=tmp_path)
    rubric = reward_rubric()
    episode = next(info.key for info in corpus if info.format == "sotopia")
    other = next(info.key for info in corpus if info.format == "docent")
    store = make_app(corpus, settings).store
    store.submit(Draft(episode, "reward", ({"reward": "1"},)), rubric)
    with pytest.raises(AnnotationError, match="Sotopia's own data folder"):
        store.submit(Draft(other, "reward", ({"reward": "1"},)), rubric)
    assert len(list((tmp_path / "AnnotationForEpisode").iterdir())) == 1
    forced = make_app(corpus, Settings(paths=(SAMPLES,), store=tmp_path, force_store=True)).store
    forced.submit(Draft(other, "reward", ({"reward": "1"},)), rubric)
    assert len(list((tmp_path / "AnnotationForEpisode").iterdir())) == 2
