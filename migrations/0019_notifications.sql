-- What a person watches. Without a row the level is participating.
CREATE TABLE repo_subscriptions (
  repo_id TEXT NOT NULL REFERENCES repos (id) ON DELETE CASCADE,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  level TEXT NOT NULL CHECK (level IN ('participating', 'all', 'releases', 'ignored')),
  created_at TEXT NOT NULL,
  PRIMARY KEY (repo_id, user_id)
) STRICT, WITHOUT ROWID;

-- Who hears of one issue or pull request, or asked not to (subscribed 0), and why.
CREATE TABLE record_subscriptions (
  repo_id TEXT NOT NULL,
  number INTEGER NOT NULL,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  subscribed INTEGER NOT NULL CHECK (subscribed IN (0, 1)),
  because TEXT NOT NULL CHECK (because IN ('author', 'assigned', 'review_requested', 'mention', 'team_mention', 'commented', 'subscribed')),
  created_at TEXT NOT NULL,
  PRIMARY KEY (repo_id, number, user_id),
  FOREIGN KEY (repo_id, number) REFERENCES records (repo_id, number) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE TABLE stars (
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  repo_id TEXT NOT NULL REFERENCES repos (id) ON DELETE CASCADE,
  created_at TEXT NOT NULL,
  PRIMARY KEY (user_id, repo_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX stars_of_repo ON stars (repo_id, user_id);

-- Who was asked when this was last looked at, so that only those who are new are told.
CREATE TABLE asked_people (
  repo_id TEXT NOT NULL,
  number INTEGER NOT NULL,
  what TEXT NOT NULL CHECK (what IN ('assigned', 'review_requested')),
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  PRIMARY KEY (repo_id, number, what, user_id),
  FOREIGN KEY (repo_id, number) REFERENCES records (repo_id, number) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

-- Whom a text named when it was last read, so that an edit tells only those who are new. A text is the description of a
-- record (`body`), or a comment or review by its id.
CREATE TABLE text_mentions (
  repo_id TEXT NOT NULL,
  number INTEGER NOT NULL,
  text_id TEXT NOT NULL,
  name TEXT NOT NULL,
  PRIMARY KEY (repo_id, number, text_id, name),
  FOREIGN KEY (repo_id, number) REFERENCES records (repo_id, number) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE TABLE cross_references (
  target_repo_id TEXT NOT NULL REFERENCES repos (id) ON DELETE CASCADE,
  -- The number of an issue or pull request, or the id of a commit.
  target TEXT NOT NULL,
  repo_id TEXT NOT NULL,
  number INTEGER NOT NULL,
  text_id TEXT NOT NULL,
  actor_id TEXT REFERENCES actors (id) ON DELETE SET NULL,
  created_at TEXT NOT NULL,
  PRIMARY KEY (target_repo_id, target, repo_id, number, text_id),
  FOREIGN KEY (repo_id, number) REFERENCES records (repo_id, number) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX cross_references_of_text ON cross_references (repo_id, number, text_id);

CREATE TABLE notifications (
  id TEXT PRIMARY KEY,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  -- Null for what is about no repository.
  repo_id TEXT REFERENCES repos (id) ON DELETE CASCADE,
  -- One for each subject and person: what it is, where, and which.
  subject TEXT NOT NULL,
  kind TEXT NOT NULL,
  number INTEGER,
  subject_id TEXT,
  -- Set where the subject has no title of its own that can be looked up.
  title TEXT,
  url TEXT,
  reason TEXT NOT NULL,
  unread INTEGER NOT NULL CHECK (unread IN (0, 1)),
  done INTEGER NOT NULL CHECK (done IN (0, 1)),
  last_event TEXT,
  updated_at TEXT NOT NULL,
  created_at TEXT NOT NULL,
  UNIQUE (user_id, subject),
  CHECK (done = 0 OR unread = 0)
) STRICT, WITHOUT ROWID;
CREATE INDEX notifications_inbox ON notifications (user_id, done, updated_at, id);
CREATE INDEX notifications_unread ON notifications (user_id, repo_id) WHERE unread = 1;
CREATE INDEX notifications_unread_inbox ON notifications (user_id, updated_at, id) WHERE unread = 1;
CREATE INDEX notifications_to_settle ON notifications (subject) WHERE kind IN ('question', 'invitation');
CREATE INDEX notifications_done ON notifications (updated_at) WHERE done = 1;
CREATE INDEX notifications_of_repo ON notifications (repo_id) WHERE repo_id IS NOT NULL;

-- What waits to be told, written with the event and taken away with the last notification of it.
CREATE TABLE notification_work (
  seq INTEGER PRIMARY KEY,
  -- JSON: which events, of what, and what was known when they happened.
  data TEXT NOT NULL CHECK (json_valid(data)),
  -- JSON once worked out: whom to tell, why, and what of. Those up to `told` have been told.
  plan TEXT CHECK (json_valid(plan)),
  told TEXT NOT NULL DEFAULT '',
  -- How often it went wrong; what goes wrong too often is left for a person to see.
  tries INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE TABLE notification_settings (
  user_id TEXT PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
  -- A JSON array of reasons that send no mail.
  silent TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(silent)),
  digest TEXT NOT NULL DEFAULT 'off' CHECK (digest IN ('off', 'hourly', 'daily')),
  digest_at TEXT
) STRICT, WITHOUT ROWID;
CREATE INDEX notification_settings_with_digest ON notification_settings (digest_at) WHERE digest <> 'off';

-- What the agents of people with a digest did since the last one.
CREATE TABLE agent_activity (
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  event_id TEXT NOT NULL,
  PRIMARY KEY (user_id, event_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE feed_tokens (
  user_id TEXT PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
  secret_hash TEXT NOT NULL UNIQUE,
  created_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;
