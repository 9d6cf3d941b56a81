/** The tables `workflow_tokens` and `workflow_actors`. */
import type { Db } from '#core/db.ts'
import type { Tx } from '#core/write.ts'

export const putTokenOfJob = (tx: Tx, token_id: string, job_id: string): void =>
  void tx.db.run('INSERT INTO workflow_tokens (token_id, job_id) VALUES (?, ?)', token_id, job_id)

export const listTokensOfJob = (db: Db, job_id: string): string[] =>
  db
    .all<{ token_id: string }>('SELECT token_id FROM workflow_tokens WHERE job_id = ?', job_id)
    .map(({ token_id }) => token_id)

/** The job that a token was made for; null for a token of another origin. */
export const findJobOfToken = (db: Db, token_id: string): string | null =>
  db.one<{ job_id: string }>('SELECT job_id FROM workflow_tokens WHERE token_id = ?', token_id)
    ?.job_id ?? null

/** The run of the job that a token was made for, with its commit; null for other tokens. */
export const findRunOfToken = (
  db: Db,
  token_id: string,
): { run_id: string; sha: string; head_sha: string } | null =>
  db.one<{ run_id: string; sha: string; head_sha: string }>(
    `SELECT r.id AS run_id, r.sha, r.head_sha FROM workflow_tokens t JOIN workflow_jobs j ON j.id = t.job_id
     JOIN workflow_runs r ON r.id = j.run_id WHERE t.token_id = ?`,
    token_id,
  )

export const findWorkflowActor = (db: Db, owner_id: string): string | null =>
  db.one<{ actor_id: string }>('SELECT actor_id FROM workflow_actors WHERE owner_id = ?', owner_id)
    ?.actor_id ?? null

export const insertWorkflowActor = (tx: Tx, owner_id: string, actor_id: string): void =>
  void tx.db.run(
    'INSERT INTO workflow_actors (owner_id, actor_id) VALUES (?, ?)',
    owner_id,
    actor_id,
  )
