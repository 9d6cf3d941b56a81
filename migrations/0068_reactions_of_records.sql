-- Reactions to issues and pull requests themselves. Those to comments are in `reactions`.
CREATE TABLE record_reactions (
  repo_id TEXT NOT NULL,
  number INTEGER NOT NULL,
  content TEXT NOT NULL CHECK (content IN ('+1', '-1', 'laugh', 'hooray', 'confused', 'heart', 'rocket', 'eyes')),
  actor_id TEXT NOT NULL REFERENCES actors (id),
  created_at TEXT NOT NULL,
  PRIMARY KEY (repo_id, number, content, actor_id),
  FOREIGN KEY (repo_id, number) REFERENCES records (repo_id, number) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

-- An import brings what happened to a record, too, each event once.
CREATE TABLE new_import_items (
  repo_id TEXT NOT NULL REFERENCES repos (id) ON DELETE CASCADE,
  kind TEXT NOT NULL CHECK (kind IN ('milestone', 'comment', 'review', 'file', 'event')),
  foreign_id TEXT NOT NULL,
  our_id TEXT NOT NULL,
  PRIMARY KEY (repo_id, kind, foreign_id)
) STRICT, WITHOUT ROWID;
INSERT INTO new_import_items SELECT repo_id, kind, foreign_id, our_id FROM import_items;
DROP TABLE import_items;
ALTER TABLE new_import_items RENAME TO import_items;
