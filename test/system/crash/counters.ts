/**
 * Numbers and indexes that are kept beside what they tell of: each question finds the rows that do
 * not agree.
 */
import type { Ask } from './database.ts'

const KEPT: readonly [string, string][] = [
  [
    'comments of a record',
    `SELECT number FROM records
     WHERE comments_count <> (SELECT count(*) FROM comments WHERE comments.repo_id = records.repo_id AND comments.number = records.number)`,
  ],
  [
    'open issues of a repository',
    `SELECT name FROM repos WHERE parent_id IS NULL
     AND open_issues_count <> (SELECT count(*) FROM records WHERE repo_id = repos.id AND kind = 'issue' AND open = 1)`,
  ],
  [
    'open pulls of a repository',
    `SELECT name FROM repos WHERE parent_id IS NULL
     AND open_pulls_count <> (SELECT count(*) FROM records WHERE repo_id = repos.id AND kind = 'pull' AND open = 1)`,
  ],
  [
    'records by kind',
    `SELECT kind FROM record_counts AS kept
     WHERE count <> (SELECT count(*) FROM records WHERE repo_id = kept.repo_id AND kind = kept.kind AND open = kept.open)`,
  ],
  [
    'entries of a session',
    'SELECT number FROM pulls WHERE session_entries <> (SELECT count(*) FROM session_entries WHERE pull_id = pulls.id)',
  ],
  [
    'the last entry of a session',
    'SELECT number FROM pulls WHERE session_entries <> coalesce((SELECT max(seq) FROM session_entries WHERE pull_id = pulls.id), 0)',
  ],
  [
    'records of closed pulls',
    'SELECT number FROM pulls JOIN records USING (repo_id, number) WHERE records.open <> pulls.active',
  ],
  [
    'repositories of a workspace',
    `SELECT id FROM workspaces
     WHERE repositories_count <> (SELECT count(*) FROM repos WHERE workspace_id = workspaces.id AND parent_id IS NULL AND deleted_at IS NULL)`,
  ],
  [
    'indexed texts of issues',
    `SELECT seq FROM records WHERE kind = 'issue' AND seq NOT IN (SELECT rowid FROM record_fts)`,
  ],
]

export const counters = (ask: Ask): string[] =>
  KEPT.flatMap(([what, sql]) => {
    const wrong = ask<Record<string, unknown>>(sql)
    return wrong.length === 0
      ? []
      : [`${what}: ${wrong.length} wrong, such as ${JSON.stringify(wrong[0])}`]
  })
