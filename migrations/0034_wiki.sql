-- The wiki of a repository: a git repository of one branch over the objects of the repository's store.
CREATE TABLE wikis (
  repo_id TEXT PRIMARY KEY REFERENCES repos (id) ON DELETE CASCADE,
  branch TEXT NOT NULL CHECK (branch <> ''), -- the name of its branch, chosen by the first push
  commit_sha TEXT NOT NULL CHECK (length(commit_sha) IN (40, 64)),
  updated_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- A wiki page that named an attachment stays readable in the wiki's history. Its text is the repository's id.
DROP VIEW attachment_uses;
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
  CROSS JOIN pulls p ON p.id = d.pull_id AND p.repo_id = a.repo_id
UNION ALL
SELECT t.attachment_id, 'read', NULL FROM attachment_texts t
  CROSS JOIN attachments a ON a.id = t.attachment_id AND a.repo_id = t.text_id;
