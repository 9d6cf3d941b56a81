-- The largest artifacts of a repository are read from an index; all of them were sorted.
CREATE INDEX artifacts_by_size ON artifacts (repo_id, size_in_bytes) WHERE sha256 IS NOT NULL;

-- How many files the bucket has and their bytes, which each look at the metrics asks for. Triggers keep
-- it. Files that nothing needs any more do not count.
CREATE TABLE stored_totals (
  away INTEGER PRIMARY KEY CHECK (away IN (0, 1)), -- 1: those that are in the bucket only
  files INTEGER NOT NULL CHECK (files >= 0),
  bytes INTEGER NOT NULL CHECK (bytes >= 0)
) STRICT;

INSERT INTO stored_totals (away, files, bytes)
  SELECT n.value, count(f.name), coalesce(sum(f.size), 0) FROM json_each('[0, 1]') n
  LEFT JOIN stored_files f ON f.away = n.value AND f.unneeded_at IS NULL GROUP BY n.value;

CREATE TRIGGER stored_files_added AFTER INSERT ON stored_files WHEN NEW.unneeded_at IS NULL BEGIN
  UPDATE stored_totals SET files = files + 1, bytes = bytes + NEW.size WHERE away = NEW.away;
END;

CREATE TRIGGER stored_files_removed AFTER DELETE ON stored_files WHEN OLD.unneeded_at IS NULL BEGIN
  UPDATE stored_totals SET files = files - 1, bytes = bytes - OLD.size WHERE away = OLD.away;
END;

CREATE TRIGGER stored_files_changed AFTER UPDATE OF size, away, unneeded_at ON stored_files BEGIN
  UPDATE stored_totals SET files = files - 1, bytes = bytes - OLD.size
    WHERE away = OLD.away AND OLD.unneeded_at IS NULL;
  UPDATE stored_totals SET files = files + 1, bytes = bytes + NEW.size
    WHERE away = NEW.away AND NEW.unneeded_at IS NULL;
END;
