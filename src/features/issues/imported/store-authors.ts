/** Gives what one actor wrote in a repository to another. */
import { changeEventActor } from '#core/events.ts'
import type { Tx } from '#core/write.ts'

/** Issues, pull requests as records, comments, reactions, assignments and events. */
export function changeAuthorOfRecords(tx: Tx, repo_id: string, from: string, to: string): void {
  const set = (sql: string): void => void tx.db.run(sql, to, repo_id, from)
  set('UPDATE records SET author_id = ? WHERE repo_id = ? AND author_id = ?')
  set('UPDATE issues SET closed_by = ? WHERE repo_id = ? AND closed_by = ?')
  set('UPDATE comments SET author_id = ? WHERE repo_id = ? AND author_id = ?')
  set('UPDATE comments SET resolved_by = ? WHERE repo_id = ? AND resolved_by = ?')
  set('UPDATE OR IGNORE assignees SET actor_id = ? WHERE repo_id = ? AND actor_id = ?')
  tx.db.run('DELETE FROM assignees WHERE repo_id = ? AND actor_id = ?', repo_id, from)
  // Somebody who reacted under both names reacts once.
  const reactions = 'actor_id = ? AND comment_id IN (SELECT id FROM comments WHERE repo_id = ?)'
  tx.db.run(`UPDATE OR IGNORE reactions SET actor_id = ? WHERE ${reactions}`, to, from, repo_id)
  tx.db.run(`DELETE FROM reactions WHERE ${reactions}`, from, repo_id)
  set('UPDATE OR IGNORE record_reactions SET actor_id = ? WHERE repo_id = ? AND actor_id = ?')
  tx.db.run('DELETE FROM record_reactions WHERE repo_id = ? AND actor_id = ?', repo_id, from)
  changeEventActor(tx, repo_id, from, to)
}
