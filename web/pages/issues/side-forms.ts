/** The small forms of the side panels of issues and pull requests. */
import { updateIssue } from '#features/issues/index.ts'
import { setTasks, updatePull } from '#features/pulls/index.ts'
import { invalid, Refusal } from '#lib/errors.ts'
import { issuePath, pullPath } from '../../paths.ts'
import { action, redirectWithFlash, type Fields, type Page, type Visit } from '../../site.ts'
import { pullPage } from '../pulls/pull.tsx'
import { numberOf, repoOf } from '../repos/frame.tsx'
import { issuePage } from './issue.tsx'
import { t } from '../../text.ts'

const target = (visit: Visit) => ({ repo: repoOf(visit), number: numberOf(visit) ?? 0 })
const names = (fields: Fields) =>
  fields.list('assignees', /[\s,]+/).map((name) => name.replace(/^@/, ''))

type Change = Partial<Omit<NonNullable<(typeof updateIssue)['__input']>, 'repo' | 'number'>>

const ofIssue = (part: string, change: (fields: Fields) => Change) =>
  action({
    path: `/:workspace/:repo/issues/:number/${part}`,
    page: issuePage,
    submit: async (visit, fields) => {
      const { repo, number } = await visit.call(updateIssue, {
        ...target(visit),
        ...change(fields),
      })
      return redirectWithFlash(visit, issuePath(repo, number), 'saved')
    },
  })

const ofPull = (
  part: string,
  change: (fields: Fields) => { labels?: string[]; assignees?: string[]; milestone?: string },
) =>
  action({
    path: `/:workspace/:repo/pull/:number/${part}`,
    page: pullPage,
    submit: async (visit, fields) => {
      const { repo, number } = await visit.call(updatePull, { ...target(visit), ...change(fields) })
      return redirectWithFlash(visit, pullPath(repo, number), 'saved')
    },
  })

const numbers = (fields: Fields): number[] =>
  fields.list('blocked_by', /[\s,]+/).map((word) => {
    const number = Number(word.replace(/^#/, ''))
    if (!Number.isInteger(number) || number < 1)
      throw invalid('blocked_by', t('{word} is not the number of an issue', { word }))
    return number
  })

/** False when the text has changed since the page was opened. */
async function set(
  visit: Visit,
  input: NonNullable<(typeof setTasks)['__input']>,
): Promise<boolean> {
  try {
    await visit.call(setTasks, input)
    return true
  } catch (error) {
    if (error instanceof Refusal && error.code === 'conflict') return false
    throw error
  }
}

/** The checkboxes of tasks in a description or a comment. */
const tasksForm = (kind: 'issues' | 'pull', page: Page) =>
  action({
    path: `/:workspace/:repo/${kind}/:number/tasks`,
    page,
    submit: async (visit, fields) => {
      const at = target(visit)
      const comment = fields.optional('task_comment')
      const path = kind === 'pull' ? pullPath(at.repo, at.number) : issuePath(at.repo, at.number)
      const isSet = await set(visit, {
        ...at,
        ...(comment === undefined ? {} : { comment }),
        done: [...fields.list('task'), ...fields.list('more_tasks', ',')].map(Number),
        digest: fields.text('digest'),
      })
      return isSet
        ? `${path}#${comment ?? 'description'}`
        : redirectWithFlash(visit, path, 'tasks-stale')
    },
  })

export const sideForms = [
  tasksForm('issues', issuePage),
  tasksForm('pull', pullPage),
  ofIssue('labels', (fields) => ({ labels: fields.list('labels', ',') })),
  ofIssue('assignees', (fields) => ({ assignees: names(fields) })),
  ofIssue('milestone', (fields) => ({ milestone: fields.text('milestone') })),
  ofIssue('blocked-by', (fields) => ({ blocked_by: numbers(fields) })),
  ofPull('labels', (fields) => ({ labels: fields.list('labels', ',') })),
  ofPull('assignees', (fields) => ({ assignees: names(fields) })),
  ofPull('milestone', (fields) => ({ milestone: fields.text('milestone') })),
]
