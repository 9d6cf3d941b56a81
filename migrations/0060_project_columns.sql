-- The columns of the board of a project. A project without rows has the default columns.
CREATE TABLE project_columns (
  project_id TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  position INTEGER NOT NULL CHECK (position >= 0),
  name TEXT NOT NULL CHECK (name <> ''),
  kind TEXT NOT NULL CHECK (kind IN ('open', 'label', 'closed')),
  label TEXT, -- the name of a label, in every repository of the project
  PRIMARY KEY (project_id, position),
  CHECK ((kind = 'label') = (label IS NOT NULL))
) STRICT, WITHOUT ROWID;
