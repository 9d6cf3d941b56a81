/** Finds one issue or pull request by `<owner>/<name>#<n>`, as the caller may read it. */
import { getIssue, type Issue } from '#features/issues/index.ts'
import { getPull, type PullDetail } from '#features/pulls/index.ts'
import type { Found } from './found.ts'
import { tryCall, type Place } from './place.ts'

export const parseKey = (key: string): { repo: string; number: number } | null => {
  const [, repo, number] = /^([^/\s#]{1,100}\/[^/\s#]{1,100})#([1-9]\d{0,8})$/.exec(key) ?? []
  return repo === undefined ? null : { repo, number: Number(number) }
}

export type IssueRead = { readonly issue: Issue; readonly trusted: boolean }
export type PullRead = { readonly detail: PullDetail; readonly trusted: boolean }

export async function readIssue(place: Place, key: string): Promise<IssueRead | null> {
  const named = parseKey(key)
  let trusted = true
  const answer =
    named &&
    (await tryCall(place, getIssue, named, (pointers) => {
      trusted = !pointers.some((pointer) => pointer.startsWith('/issue/'))
    }))
  return answer && { issue: answer.issue, trusted }
}

export async function readPull(place: Place, key: string): Promise<PullRead | null> {
  const named = parseKey(key)
  let trusted = true
  const detail =
    named &&
    (await tryCall(place, getPull, named, (pointers) => {
      trusted = !pointers.some((pointer) => /^\/(pull\/)?(title|body)$/.test(pointer))
    }))
  return detail && { detail, trusted }
}

export const foundIssue = ({ issue, trusted }: IssueRead): Found => ({
  kind: 'issue',
  id: issue.id,
  key: `${issue.repo}#${issue.number}`,
  title: issue.title,
  summary: `${issue.state}, by ${issue.author.username}. ${issue.body}`,
  url: issue.html_url,
  repo: issue.repo,
  trusted,
  updated_at: issue.updated_at,
})

export const foundPull = ({ detail: { pull }, trusted }: PullRead): Found => ({
  kind: 'pull',
  id: pull.id,
  key: `${pull.repo}#${pull.number}`,
  title: pull.title,
  summary: `${pull.status}, by ${pull.author.username}. ${pull.body}`,
  url: pull.html_url,
  repo: pull.repo,
  trusted,
  updated_at: pull.updated_at,
})

/** An issue has precedence; a number is of one of the two only. */
export async function findByKey(place: Place, key: string): Promise<Found | null> {
  const issue = await readIssue(place, key)
  if (issue) return foundIssue(issue)
  const pull = await readPull(place, key)
  return pull && foundPull(pull)
}
