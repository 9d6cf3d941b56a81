-- What somebody's pages ask across repositories: what they did in a year, and what of theirs is under way.
CREATE INDEX events_of_actor ON events (actor_id, time, type, repo_id) WHERE actor_id IS NOT NULL;
CREATE INDEX pulls_under_way ON pulls (author_id) WHERE active = 1;
