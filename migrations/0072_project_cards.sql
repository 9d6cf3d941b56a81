-- The cards that somebody put in order by hand, within one column of the board of a project.
CREATE TABLE project_cards (
  project_id TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  repo_id TEXT NOT NULL,
  number INTEGER NOT NULL,
  column_key TEXT NOT NULL, -- the kind of the column, and its label; elsewhere the row has no meaning
  position INTEGER NOT NULL CHECK (position >= 0),
  PRIMARY KEY (project_id, repo_id, number),
  FOREIGN KEY (repo_id, number) REFERENCES records (repo_id, number) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX project_cards_in_order ON project_cards (project_id, column_key, position);
CREATE INDEX project_cards_of_record ON project_cards (repo_id, number);
