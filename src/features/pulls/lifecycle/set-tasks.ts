import { writesRepo } from '#core/access.ts'
import type { Db } from '#core/db.ts'
import { operation } from '#core/operation.ts'
import { RecordNumber, RepoPath, Type } from '#core/schema.ts'
import type { Tx } from '#core/write.ts'
import {
  commentEdited,
  findComment,
  findIssue,
  isAuthor,
  issueUpdated,
  setCommentBody,
  setIssueText,
  touchRecord,
} from '#features/issues/index.ts'
import { conflict, invalid, notFound } from '#lib/errors.ts'
import { sha256 } from '#lib/hash.ts'
import { findTasks, withTasksDone } from '#lib/markdown-tasks.ts'
import { contextOf } from '../pull-context.ts'
import { findPull, setPullText } from '../store-pulls.ts'
import { appendPullUpdated } from './append-updated.ts'

/** A text with tasks, and what follows when it changes. */
type TaskText = {
  readonly body: string
  readonly author_id: string
  /** Who may change it besides its author. */
  readonly role: 'triage' | 'maintain'
  set(tx: Tx, body: string): void
}

type Reader = { readonly db: Db }
type Place = { readonly repo_id: string; readonly workspace_id: string; readonly number: number }

function commentText({ db }: Reader, { repo_id, number }: Place, id: string): TaskText | null {
  const comment = findComment(db, id)
  return comment?.repo_id !== repo_id || comment.number !== number
    ? null
    : {
        body: comment.body,
        author_id: comment.author_id,
        role: 'maintain',
        set: (to, body) => {
          setCommentBody(to, id, body)
          to.emit(commentEdited, { repo_id, number, comment: id })
        },
      }
}

function descriptionText({ db }: Reader, place: Place): TaskText | null {
  const { repo_id, workspace_id, number } = place
  const issue = findIssue(db, repo_id, number)
  if (issue)
    return {
      body: issue.body,
      author_id: issue.author_id,
      role: 'maintain',
      set: (to, body) => {
        setIssueText(to, repo_id, number, { title: issue.title, body })
        touchRecord(to, repo_id, number)
        to.append(issueUpdated, { workspace_id, repo_id }, { number, changed: ['body'] })
      },
    }
  const pull = findPull(db, repo_id, number)
  return (
    pull && {
      body: pull.body,
      author_id: pull.author_id,
      role: 'triage',
      set: (to, body) => {
        setPullText(to, pull, { body })
        appendPullUpdated(to, contextOf(to.db, repo_id), pull, ['body'])
      },
    }
  )
}

export const setTasks = operation({
  name: 'set_tasks',
  summary:
    'Set which tasks (`- [ ]`) of the description of an issue or pull request, or of one of its comments, are done. For those who may edit that text.',
  keywords: [
    'tick a checkbox',
    'check off a task',
    'task list',
    'todo list',
    'mark a task as done',
  ],
  route: 'PUT /repos/{owner}/{name}/issues/{number}/tasks',
  toolset: 'issues',
  access: writesRepo('read', { scope: 'issues:write' }),
  annotations: { idempotent: true },
  input: Type.Object({
    repo: RepoPath,
    number: RecordNumber,
    comment: Type.Optional(
      Type.String({ maxLength: 100, description: 'The id of a comment; the description without.' }),
    ),
    done: Type.Array(Type.Integer({ minimum: 0, maximum: 5_000 }), {
      maxItems: 5_000,
      description:
        'The tasks that are done, by their places in the text from 0. The others are not.',
    }),
    digest: Type.String({
      pattern: '^[0-9a-f]{64}$',
      description: 'SHA-256 of the text as it was read; 409 when it has changed since.',
    }),
  }),
  output: Type.Object({
    tasks: Type.Integer({ minimum: 0, description: 'How many tasks the text has.' }),
    done: Type.Integer({ minimum: 0 }),
    digest: Type.String({ description: 'SHA-256 of the text as it is now.' }),
  }),

  handler: ({ hearth, db, repo, caller, write }, { number, comment, done, digest }) => {
    const place = { repo_id: repo.id, workspace_id: repo.workspace_id, number }
    const requireText = (from: Reader): TaskText => {
      const text =
        comment === undefined ? descriptionText(from, place) : commentText(from, place, comment)
      if (!text) throw notFound(comment === undefined ? `#${number}` : `the comment ${comment}`)
      return text
    }
    const { author_id, role } = requireText({ db })
    if (!isAuthor(hearth, caller, author_id)) repo.require(role)
    return write((tx) => {
      const text = requireText(tx)
      if (sha256(text.body) !== digest)
        throw conflict('head_moved', 'The text has changed since. Read it again.')
      const tasks = findTasks(text.body).length
      const unknown = done.find((index) => index >= tasks)
      if (unknown !== undefined) throw invalid('done', `the text has ${tasks} tasks`)
      const body = withTasksDone(text.body, new Set(done))
      if (body !== text.body) text.set(tx, body)
      return { tasks, done: new Set(done).size, digest: sha256(body) }
    })
  },
})
