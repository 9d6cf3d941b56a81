import { getPull } from '#features/pulls/index.ts'
import { Refusal } from '#lib/errors.ts'
import type { Resource, Visit } from '../../site.ts'
import { numberOf } from '../issues/issue.tsx'
import { repoOf } from '../repos/frame.tsx'

type Commit = Awaited<ReturnType<Visit['hearth']['git']['log']>>[number]

const MOST_COMMITS = 250

const HEADERS = { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff', 'cache-control': 'private, no-cache', 'content-security-policy': "default-src 'none'; sandbox" }

async function shas(visit: Visit) {
  const repo = repoOf(visit)
  const { pull } = await visit.call(getPull, { repo, number: numberOf(visit) ?? 0 })
  const grant = visit.hearth.facts.repo(repo, visit.caller)
  if (grant === null || pull.head === null || pull.merge_base_sha === null) throw new Refusal('not_found', 'This pull request has no commits yet.')
  return { git: visit.hearth.git, store: grant.store, base: pull.merge_base_sha, head: pull.head.sha }
}

/** A time as mail writes it (RFC 5322 section 3.3), in the zone of the signature. */
function mailDate(seconds: number, zone: string): string {
  const minutes = (zone.startsWith('-') ? -1 : 1) * (Number(zone.slice(1, 3)) * 60 + Number(zone.slice(3, 5)))
  return `${new Date((seconds + minutes * 60) * 1000).toUTCString().replace(/ GMT$/, '')} ${zone}`
}

const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ')

/** One commit as `git format-patch` mails it, so that `git am` takes it. */
function mail(commit: Commit, patch: string, place: string): string {
  const [title = '', ...rest] = commit.message.split('\n')
  const body = rest.join('\n').trim()
  return [
    `From ${commit.oid} Mon Sep 17 00:00:00 2001`,
    `From: ${oneLine(commit.author.name)} <${oneLine(commit.author.email)}>`,
    `Date: ${mailDate(commit.author.time, commit.author.zone)}`,
    `Subject: [PATCH${place}] ${oneLine(title)}`, '',
    ...(body === '' ? [] : [body]), '---', '', patch, '-- ', 'hearth', '',
  ].join('\n')
}

/** `diff_url`: the whole change as one unified diff. */
export const pullDiff: Resource = {
  path: '/:workspace/:repo/pull/:number.diff',
  async answer(visit) {
    const { git, store, base, head } = await shas(visit)
    return new Response(await git.patch(store, base, head), { headers: HEADERS })
  },
}

/** `patch_url`: every commit as a mail; merge commits are left out, as `git format-patch` does. */
export const pullPatch: Resource = {
  path: '/:workspace/:repo/pull/:number.patch',
  async answer(visit) {
    const { git, store, base, head } = await shas(visit)
    const commits = (await git.log(store, { tips: [head], hide: [base], limit: MOST_COMMITS })).filter(({ parents }) => parents.length < 2).reverse()
    const mails: string[] = []
    for (const [index, commit] of commits.entries()) {
      mails.push(mail(commit, await git.patch(store, commit.parents[0] ?? null, commit.oid), commits.length > 1 ? ` ${index + 1}/${commits.length}` : ''))
    }
    return new Response(mails.join('\n'), { headers: HEADERS })
  },
}
