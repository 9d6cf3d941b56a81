-- Milestones group issues under a goal with an optional date.
CREATE TABLE milestones (
  id TEXT PRIMARY KEY,
  repo_id TEXT NOT NULL REFERENCES repos (id) ON DELETE CASCADE,
  title TEXT NOT NULL CHECK (title <> ''),
  key TEXT NOT NULL, -- the title in lower case: two that differ only in case would be taken for one
  description TEXT,
  due_on TEXT,
  state TEXT NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'closed')),
  created_at TEXT NOT NULL,
  closed_at TEXT CHECK ((closed_at IS NULL) = (state = 'open')),
  UNIQUE (repo_id, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX milestones_of_repo ON milestones (repo_id, state, id);

-- What every numbered thing of a repository has in common. Issues and pull requests share the numbers, and labels,
-- assignees and comments belong to a number, whichever of the two it is. seq is there for the text index.
CREATE TABLE records (
  seq INTEGER PRIMARY KEY,
  repo_id TEXT NOT NULL REFERENCES repos (id) ON DELETE CASCADE,
  number INTEGER NOT NULL CHECK (number > 0),
  kind TEXT NOT NULL CHECK (kind IN ('issue', 'pull')),
  open INTEGER NOT NULL DEFAULT 1 CHECK (open IN (0, 1)),
  title TEXT NOT NULL CHECK (title <> ''),
  author_id TEXT NOT NULL REFERENCES actors (id),
  milestone_id TEXT REFERENCES milestones (id) ON DELETE SET NULL,
  comments_count INTEGER NOT NULL DEFAULT 0 CHECK (comments_count >= 0),
  locked INTEGER NOT NULL DEFAULT 0 CHECK (locked IN (0, 1)),
  lock_reason TEXT CHECK (lock_reason IS NULL OR (locked = 1 AND lock_reason IN ('off_topic', 'too_heated', 'resolved', 'spam'))),
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  UNIQUE (repo_id, number)
) STRICT;
-- One index for every order of a list, so that the first page costs the same with ten issues and with a million.
CREATE INDEX records_by_number ON records (repo_id, kind, open, number);
CREATE INDEX records_by_update ON records (repo_id, kind, open, updated_at, number);
CREATE INDEX records_by_comments ON records (repo_id, kind, open, comments_count, number);
CREATE INDEX records_by_author ON records (repo_id, author_id, kind, open, number);
CREATE INDEX records_by_milestone ON records (milestone_id, open, number) WHERE milestone_id IS NOT NULL;

-- How many there are, kept beside them: counting a hundred thousand for every page would cost more than the page.
CREATE TABLE record_counts (
  repo_id TEXT NOT NULL REFERENCES repos (id) ON DELETE CASCADE,
  kind TEXT NOT NULL,
  open INTEGER NOT NULL,
  count INTEGER NOT NULL CHECK (count >= 0),
  PRIMARY KEY (repo_id, kind, open)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER records_count_new AFTER INSERT ON records BEGIN
  INSERT INTO record_counts (repo_id, kind, open, count) VALUES (NEW.repo_id, NEW.kind, NEW.open, 1)
    ON CONFLICT DO UPDATE SET count = count + 1;
END;
CREATE TRIGGER records_count_change AFTER UPDATE OF open ON records WHEN OLD.open <> NEW.open BEGIN
  UPDATE record_counts SET count = count - 1 WHERE repo_id = OLD.repo_id AND kind = OLD.kind AND open = OLD.open;
  INSERT INTO record_counts (repo_id, kind, open, count) VALUES (NEW.repo_id, NEW.kind, NEW.open, 1)
    ON CONFLICT DO UPDATE SET count = count + 1;
END;

-- Words of titles and bodies. Only the index is kept, not the text. The first column holds the repository's id, so that a
-- search reads no more than the words of one repository.
CREATE VIRTUAL TABLE record_fts USING fts5 (
  repo, title, body, content = '', contentless_delete = 1, tokenize = 'unicode61 remove_diacritics 2'
);
CREATE TRIGGER records_removed AFTER DELETE ON records BEGIN
  UPDATE record_counts SET count = count - 1 WHERE repo_id = OLD.repo_id AND kind = OLD.kind AND open = OLD.open;
  DELETE FROM record_fts WHERE rowid = OLD.seq;
END;

CREATE TABLE issues (
  id TEXT PRIMARY KEY,
  repo_id TEXT NOT NULL,
  number INTEGER NOT NULL,
  body TEXT NOT NULL,
  checks TEXT NOT NULL CHECK (json_valid(checks)),
  reason TEXT CHECK (reason IN ('completed', 'not_planned')),
  resolved_by INTEGER, -- the pull request whose merge closed it
  closed_at TEXT CHECK ((closed_at IS NULL) = (reason IS NULL)),
  closed_by TEXT REFERENCES actors (id), -- null as well when the service closed it by itself
  UNIQUE (repo_id, number),
  CHECK (resolved_by IS NULL OR reason = 'completed'),
  FOREIGN KEY (repo_id, number) REFERENCES records (repo_id, number) ON DELETE CASCADE
) STRICT;

-- Issues that must close first.
CREATE TABLE blockers (
  repo_id TEXT NOT NULL,
  number INTEGER NOT NULL,
  blocked_by INTEGER NOT NULL CHECK (blocked_by <> number),
  PRIMARY KEY (repo_id, number, blocked_by),
  FOREIGN KEY (repo_id, number) REFERENCES records (repo_id, number) ON DELETE CASCADE,
  FOREIGN KEY (repo_id, blocked_by) REFERENCES records (repo_id, number) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX blockers_back ON blockers (repo_id, blocked_by);

-- Which pull requests were made for an issue. The pull requests report here what an issue shows of them; their title and
-- author are in records.
CREATE TABLE record_links (
  repo_id TEXT NOT NULL,
  pull_number INTEGER NOT NULL,
  issue_number INTEGER NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('draft', 'open', 'closed', 'merged')),
  agent TEXT,
  superseded_by INTEGER,
  merged_by TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  PRIMARY KEY (repo_id, pull_number),
  FOREIGN KEY (repo_id, pull_number) REFERENCES records (repo_id, number) ON DELETE CASCADE,
  FOREIGN KEY (repo_id, issue_number) REFERENCES records (repo_id, number) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX record_links_of_issue ON record_links (repo_id, issue_number, pull_number);

CREATE TABLE labels (
  id TEXT PRIMARY KEY,
  repo_id TEXT NOT NULL REFERENCES repos (id) ON DELETE CASCADE,
  name TEXT NOT NULL CHECK (name <> '' AND instr(name, ',') = 0),
  key TEXT NOT NULL, -- the name in lower case, of any script
  color TEXT NOT NULL CHECK (length(color) = 6 AND color NOT GLOB '*[^0-9a-f]*'),
  description TEXT,
  issues_count INTEGER NOT NULL DEFAULT 0 CHECK (issues_count >= 0), -- open issues, kept by triggers
  created_at TEXT NOT NULL,
  UNIQUE (repo_id, key)
) STRICT, WITHOUT ROWID;

-- kind and open repeat those of the record, so that "open issues with this label" is one range of one index.
CREATE TABLE record_labels (
  repo_id TEXT NOT NULL,
  number INTEGER NOT NULL,
  label_id TEXT NOT NULL REFERENCES labels (id) ON DELETE CASCADE,
  kind TEXT NOT NULL,
  open INTEGER NOT NULL,
  PRIMARY KEY (repo_id, number, label_id),
  FOREIGN KEY (repo_id, number) REFERENCES records (repo_id, number) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX record_labels_by_label ON record_labels (label_id, kind, open, number);
CREATE TRIGGER record_labels_count_new AFTER INSERT ON record_labels WHEN NEW.kind = 'issue' AND NEW.open = 1 BEGIN
  UPDATE labels SET issues_count = issues_count + 1 WHERE id = NEW.label_id;
END;
CREATE TRIGGER record_labels_count_gone AFTER DELETE ON record_labels WHEN OLD.kind = 'issue' AND OLD.open = 1 BEGIN
  UPDATE labels SET issues_count = issues_count - 1 WHERE id = OLD.label_id;
END;
CREATE TRIGGER record_labels_count_change AFTER UPDATE OF open ON record_labels
  WHEN NEW.kind = 'issue' AND OLD.open <> NEW.open BEGIN
  UPDATE labels SET issues_count = issues_count + (CASE NEW.open WHEN 1 THEN 1 ELSE -1 END) WHERE id = NEW.label_id;
END;

CREATE TABLE assignees (
  repo_id TEXT NOT NULL,
  number INTEGER NOT NULL,
  actor_id TEXT NOT NULL REFERENCES actors (id),
  position INTEGER NOT NULL, -- in the order they were named
  kind TEXT NOT NULL,
  open INTEGER NOT NULL,
  PRIMARY KEY (repo_id, number, actor_id),
  FOREIGN KEY (repo_id, number) REFERENCES records (repo_id, number) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX assignees_by_actor ON assignees (actor_id, repo_id, kind, open, number);
CREATE TRIGGER records_open_change AFTER UPDATE OF open ON records WHEN OLD.open <> NEW.open BEGIN
  UPDATE record_labels SET open = NEW.open WHERE repo_id = NEW.repo_id AND number = NEW.number;
  UPDATE assignees SET open = NEW.open WHERE repo_id = NEW.repo_id AND number = NEW.number;
END;

-- Comments on issues and pull requests. path and what follows it are set for comments on a line of a change.
CREATE TABLE comments (
  id TEXT PRIMARY KEY,
  repo_id TEXT NOT NULL,
  number INTEGER NOT NULL,
  author_id TEXT NOT NULL REFERENCES actors (id),
  body TEXT NOT NULL CHECK (body <> ''),
  path TEXT,
  line INTEGER CHECK (line > 0),
  start_line INTEGER CHECK (start_line > 0 AND start_line <= line),
  side TEXT CHECK (side IN ('new', 'old')),
  commit_sha TEXT,
  outdated INTEGER NOT NULL DEFAULT 0 CHECK (outdated IN (0, 1)),
  in_reply_to TEXT REFERENCES comments (id), -- the first comment of the thread, never a reply
  resolved INTEGER NOT NULL DEFAULT 0 CHECK (resolved IN (0, 1)), -- of the thread, kept with its first comment
  resolved_by TEXT REFERENCES actors (id),
  review_id TEXT,
  applied_in TEXT, -- the commit that took its suggestion
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  CHECK ((path IS NULL) = (line IS NULL) AND (path IS NULL) = (side IS NULL)),
  FOREIGN KEY (repo_id, number) REFERENCES records (repo_id, number) ON DELETE CASCADE
) STRICT;
CREATE INDEX comments_of_record ON comments (repo_id, number, id);
CREATE INDEX comments_of_thread ON comments (in_reply_to, id) WHERE in_reply_to IS NOT NULL;
CREATE INDEX comments_of_review ON comments (review_id, id) WHERE review_id IS NOT NULL;
CREATE INDEX comments_on_lines ON comments (repo_id, number, id) WHERE path IS NOT NULL;
CREATE TRIGGER comments_count_new AFTER INSERT ON comments BEGIN
  UPDATE records SET comments_count = comments_count + 1 WHERE repo_id = NEW.repo_id AND number = NEW.number;
END;
CREATE TRIGGER comments_count_gone AFTER DELETE ON comments BEGIN
  UPDATE records SET comments_count = comments_count - 1 WHERE repo_id = OLD.repo_id AND number = OLD.number;
END;

CREATE TABLE reactions (
  comment_id TEXT NOT NULL REFERENCES comments (id) ON DELETE CASCADE,
  content TEXT NOT NULL CHECK (content IN ('+1', '-1', 'laugh', 'hooray', 'confused', 'heart', 'rocket', 'eyes')),
  actor_id TEXT NOT NULL REFERENCES actors (id),
  created_at TEXT NOT NULL,
  PRIMARY KEY (comment_id, content, actor_id)
) STRICT, WITHOUT ROWID;
