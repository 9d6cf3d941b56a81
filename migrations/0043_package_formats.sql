-- The file `versions` of gems is only ever added to, so that bundler reads what is new by a range.
CREATE TABLE gem_lines (
  id INTEGER PRIMARY KEY,
  package_id TEXT NOT NULL REFERENCES packages (id) ON DELETE CASCADE,
  line TEXT NOT NULL
) STRICT;
CREATE INDEX gem_lines_by_package ON gem_lines (package_id, id);

-- Which versions of a gem the lines list.
CREATE TABLE gem_indexes (
  package_id TEXT PRIMARY KEY REFERENCES packages (id) ON DELETE CASCADE,
  revision INTEGER NOT NULL, -- of the package, when the lines were made
  numbers TEXT NOT NULL -- a JSON array
) STRICT, WITHOUT ROWID;
