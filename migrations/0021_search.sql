-- What the index of the search has not taken in yet: the text of an issue or pull request, a repository, or its code. A mark that
-- is made again while it is worked on has a higher version, and stays.
CREATE TABLE search_marks (
  kind TEXT NOT NULL CHECK (kind IN ('record', 'repo', 'code')),
  repo_id TEXT NOT NULL,
  number INTEGER NOT NULL DEFAULT 0 CHECK ((kind = 'record') = (number > 0)),
  version INTEGER NOT NULL DEFAULT 1,
  PRIMARY KEY (kind, repo_id, number)
) STRICT, WITHOUT ROWID;
-- A comment that is deleted is no event; its words must not be found any more.
CREATE TRIGGER search_marks_removed_comment AFTER DELETE ON comments BEGIN
  INSERT INTO search_marks (kind, repo_id, number) VALUES ('record', OLD.repo_id, OLD.number) ON CONFLICT DO UPDATE SET version = version + 1;
END;
