// Changes in git's text formats: a commit or a comparison as diff and as mails.
import { compareCommits, getCommit } from '#features/repos/index.ts'
import { Refusal } from '#lib/errors.ts'
import type { Resource, Visit } from '../../site.ts'
import { repoOf } from '../repos/frame.tsx'
import { rangeOf } from './range.ts'
import { t } from '../../text.ts'

type Commit = Awaited<ReturnType<Visit['hearth']['git']['log']>>[number]

const MAX_COMMITS = 250

export const PATCH_HEADERS = {
  'content-type': 'text/plain; charset=utf-8',
  'x-content-type-options': 'nosniff',
  'cache-control': 'private, no-cache',
  'content-security-policy': "default-src 'none'; sandbox",
}

/** A time in the format of mail (RFC 5322 section 3.3), in the time zone of the signature. */
function mailDate(seconds: number, zone: string): string {
  const minutes =
    (zone.startsWith('-') ? -1 : 1) * (Number(zone.slice(1, 3)) * 60 + Number(zone.slice(3, 5)))
  return `${new Date((seconds + minutes * 60) * 1000).toUTCString().replace(/ GMT$/, '')} ${zone}`
}

const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ')

/** One commit as `git format-patch` writes it, for `git am`. `place` is such as ` 2/5`. */
function formatPatchMail(commit: Commit, patch: string, place: string): string {
  const [title = '', ...rest] = commit.message.split('\n')
  const body = rest.join('\n').trim()
  return [
    `From ${commit.oid} Mon Sep 17 00:00:00 2001`,
    `From: ${oneLine(commit.author.name)} <${oneLine(commit.author.email)}>`,
    t('Date: {time}', { time: mailDate(commit.author.time, commit.author.zone) }),
    t('Subject: [PATCH{place}] {title}', { place, title: oneLine(title) }),
    '',
    ...(body === '' ? [] : [body]),
    '---',
    '',
    patch,
    '-- ',
    'hearth',
    '',
  ].join('\n')
}

/** Mails longer than this in all are no help on a page, and they are in memory whole. */
const MAX_MAILS_LENGTH = 32 * 1024 * 1024

/** The commits that `tips` reach and `hide` does not, without merge commits, as mails. */
export async function formatPatchMails(
  git: Visit['hearth']['git'],
  store: string,
  { tip, hide }: { tip: string; hide: string },
): Promise<string> {
  const commits = (await git.log(store, { tips: [tip], hide: [hide], limit: MAX_COMMITS }))
    .filter(({ parents }) => parents.length < 2)
    .reverse()
  const mails: string[] = []
  let length = 0
  for (const [index, commit] of commits.entries()) {
    const patch = await git.patch(store, commit.parents[0] ?? null, commit.oid)
    const place = commits.length > 1 ? ` ${index + 1}/${commits.length}` : ''
    const mail = formatPatchMail(commit, patch, place)
    length += mail.length
    if (length > MAX_MAILS_LENGTH)
      throw new Refusal(
        'invalid',
        t('These patches are too large for one page. Fetch the commits with git.'),
      )
    mails.push(mail)
  }
  return mails.join('\n')
}

function storeOf(visit: Visit): { git: Visit['hearth']['git']; store: string } {
  const grant = visit.hearth.facts.repo(repoOf(visit), visit.caller)
  if (grant === null) throw new Refusal('not_found', t('There is no such repository.'))
  return { git: visit.hearth.git, store: grant.store }
}

const commitText = (ending: '.diff' | '.patch'): Resource => ({
  path: `/:workspace/:repo/commit/:sha${ending}`,
  async respond(visit) {
    const { sha } = await visit.call(getCommit, {
      repo: repoOf(visit),
      ref: visit.params.sha ?? '',
      patch: false,
      per_page: 1,
    })
    const { git, store } = storeOf(visit)
    const commit = await git.readCommit(store, sha)
    if (commit === null) throw new Refusal('not_found', t('There is no such commit.'))
    const text = await git.patch(store, commit.parents[0] ?? null, sha)
    return new Response(ending === '.diff' ? text : formatPatchMail(commit, text, ''), {
      headers: PATCH_HEADERS,
    })
  },
})

const rangeText = (ending: '.diff' | '.patch'): Resource => ({
  path: `/:workspace/:repo/compare/*range${ending}`,
  async respond(visit) {
    const range = rangeOf(visit.params.range ?? '')
    if (range === null || range.base === null)
      throw new Refusal('not_found', t('A comparison is {form}.', { form: '<base>...<head>' }))
    const { base_sha, head_sha, merge_base_sha } = await visit.call(compareCommits, {
      repo: repoOf(visit),
      basehead: `${range.base}...${range.head}`,
      per_page: 1,
    })
    const { git, store } = storeOf(visit)
    if (ending === '.diff')
      return new Response(
        await git.patch(store, range.direct ? base_sha : merge_base_sha, head_sha),
        { headers: PATCH_HEADERS },
      )
    const mails = await formatPatchMails(git, store, { tip: head_sha, hide: base_sha })
    return new Response(mails, { headers: PATCH_HEADERS })
  },
})

export const patches = [
  commitText('.diff'),
  commitText('.patch'),
  rangeText('.diff'),
  rangeText('.patch'),
]
