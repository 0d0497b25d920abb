"""Scoring an episode: the panel, its table of scores, citations, unit scores and the states of episodes."""
