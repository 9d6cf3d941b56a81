-- How much each actor contributed on each day, by repository, because what a reader may see is decided
-- by repository. A profile counted the events of a year: 5 s for an actor with millions. Triggers keep
-- the counts.
CREATE TABLE contribution_types (
  type TEXT PRIMARY KEY -- of events; a review is a comment, too
) STRICT, WITHOUT ROWID;

INSERT INTO contribution_types VALUES ('git.push'), ('issue.opened'), ('issue.closed'),
  ('pull.opened'), ('pull.ready'), ('pull.merged'), ('comment.created'), ('release.published'),
  ('wiki.updated');

CREATE TABLE contribution_days (
  actor_id TEXT NOT NULL,
  repo_id TEXT NOT NULL,
  day TEXT NOT NULL, -- of UTC
  events INTEGER NOT NULL CHECK (events >= 0),
  PRIMARY KEY (actor_id, repo_id, day)
) STRICT, WITHOUT ROWID;

INSERT INTO contribution_days (actor_id, repo_id, day, events)
  SELECT actor_id, repo_id, substr(time, 1, 10), count(*) FROM events
  WHERE actor_id IS NOT NULL AND repo_id IS NOT NULL
    AND type IN (SELECT type FROM contribution_types)
  GROUP BY 1, 2, 3;

CREATE TRIGGER contribution_days_added AFTER INSERT ON events
  WHEN NEW.actor_id IS NOT NULL AND NEW.repo_id IS NOT NULL
    AND NEW.type IN (SELECT type FROM contribution_types) BEGIN
  INSERT INTO contribution_days (actor_id, repo_id, day, events)
    VALUES (NEW.actor_id, NEW.repo_id, substr(NEW.time, 1, 10), 1)
    ON CONFLICT DO UPDATE SET events = events + 1;
END;

CREATE TRIGGER contribution_days_removed AFTER DELETE ON events
  WHEN OLD.actor_id IS NOT NULL AND OLD.repo_id IS NOT NULL
    AND OLD.type IN (SELECT type FROM contribution_types) BEGIN
  UPDATE contribution_days SET events = events - 1
    WHERE actor_id = OLD.actor_id AND repo_id = OLD.repo_id AND day = substr(OLD.time, 1, 10);
  DELETE FROM contribution_days WHERE actor_id = OLD.actor_id AND repo_id = OLD.repo_id
    AND day = substr(OLD.time, 1, 10) AND events = 0;
END;

-- What an account of another forge did goes to the person who claims it. Nothing else of an event
-- changes.
CREATE TRIGGER contribution_days_given AFTER UPDATE OF actor_id ON events
  WHEN OLD.repo_id IS NOT NULL AND OLD.type IN (SELECT type FROM contribution_types) BEGIN
  UPDATE contribution_days SET events = events - 1
    WHERE actor_id = OLD.actor_id AND repo_id = OLD.repo_id AND day = substr(OLD.time, 1, 10);
  DELETE FROM contribution_days WHERE actor_id = OLD.actor_id AND repo_id = OLD.repo_id
    AND day = substr(OLD.time, 1, 10) AND events = 0;
  INSERT INTO contribution_days (actor_id, repo_id, day, events)
    SELECT NEW.actor_id, NEW.repo_id, substr(NEW.time, 1, 10), 1 WHERE NEW.actor_id IS NOT NULL
    ON CONFLICT DO UPDATE SET events = events + 1;
END;
