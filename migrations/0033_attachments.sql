-- Files that people add to the texts of a repository: descriptions, comments, reviews, release notes.
CREATE TABLE attachments (
  id TEXT PRIMARY KEY,
  repo_id TEXT NOT NULL REFERENCES repos (id) ON DELETE CASCADE,
  name TEXT NOT NULL CHECK (name <> ''),
  content_type TEXT NOT NULL,
  size_in_bytes INTEGER NOT NULL CHECK (size_in_bytes >= 0),
  sha256 TEXT NOT NULL CHECK (length(sha256) = 64), -- the blob of this name holds its bytes
  uploader_id TEXT NOT NULL REFERENCES actors (id),
  created_at TEXT NOT NULL,
  unused_since TEXT -- null while a text names it; it is deleted some days after
) STRICT, WITHOUT ROWID;
CREATE INDEX attachments_by_blob ON attachments (sha256);
CREATE INDEX attachments_of_repo ON attachments (repo_id, id);
CREATE INDEX attachments_unused ON attachments (unused_since) WHERE unused_since IS NOT NULL;
CREATE INDEX attachments_unused_of_uploader ON attachments (uploader_id) WHERE unused_since IS NOT NULL;

-- The texts that named an attachment when they were stored. A later edit may have removed the name.
CREATE TABLE attachment_texts (
  attachment_id TEXT NOT NULL REFERENCES attachments (id) ON DELETE CASCADE,
  text_id TEXT NOT NULL, -- of an issue, comment, pull request, review, release or pending comment
  PRIMARY KEY (attachment_id, text_id)
) STRICT, WITHOUT ROWID;

-- The texts that name an attachment now, and who may read each: everybody who reads the repository, those with Write, or its author.
CREATE VIEW attachment_uses (attachment_id, audience, author_id) AS
SELECT t.attachment_id, 'read', NULL FROM attachment_texts t
  CROSS JOIN attachments a ON a.id = t.attachment_id
  CROSS JOIN comments c ON c.id = t.text_id AND c.repo_id = a.repo_id AND instr(c.body, a.id) > 0
UNION ALL
SELECT t.attachment_id, 'read', NULL FROM attachment_texts t
  CROSS JOIN attachments a ON a.id = t.attachment_id
  CROSS JOIN issues i ON i.id = t.text_id AND i.repo_id = a.repo_id AND instr(i.body, a.id) > 0
UNION ALL
SELECT t.attachment_id, 'read', NULL FROM attachment_texts t
  CROSS JOIN attachments a ON a.id = t.attachment_id
  CROSS JOIN pulls p ON p.id = t.text_id AND p.repo_id = a.repo_id AND instr(p.body, a.id) > 0
UNION ALL
SELECT t.attachment_id, 'read', NULL FROM attachment_texts t
  CROSS JOIN attachments a ON a.id = t.attachment_id
  CROSS JOIN reviews r ON r.id = t.text_id AND instr(r.body, a.id) > 0
  CROSS JOIN pulls p ON p.id = r.pull_id AND p.repo_id = a.repo_id
UNION ALL
SELECT t.attachment_id, CASE WHEN r.published_at IS NULL THEN 'write' ELSE 'read' END, NULL FROM attachment_texts t
  CROSS JOIN attachments a ON a.id = t.attachment_id
  CROSS JOIN releases r ON r.id = t.text_id AND r.repo_id = a.repo_id AND instr(r.body, a.id) > 0
UNION ALL
SELECT t.attachment_id, 'author', d.author_id FROM attachment_texts t
  CROSS JOIN attachments a ON a.id = t.attachment_id
  CROSS JOIN review_drafts d ON d.id = t.text_id AND instr(d.body, a.id) > 0
  CROSS JOIN pulls p ON p.id = d.pull_id AND p.repo_id = a.repo_id;
