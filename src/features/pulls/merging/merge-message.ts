/** Messages, authors and trailers of merge commits. */
import type { Commit, Signature } from '#git'
import type { Hearth } from '#core/hearth.ts'
import type { Actor } from '#core/schema.ts'
import { actorOf, commitIdentity, privateAddress, userCaller } from '#features/accounts/index.ts'
import { parseTrailers } from '#features/repos/index.ts'
import { pullUrl } from '../pull-record.ts'
import type { PullRow } from '../store-pulls.ts'

/** Removes line breaks and angle brackets from a name, which would break the trailer lines. */
const cleanName = (text: string): string => text.replace(/[\u0000-\u001f\u007f<>]/g, ' ').trim()

const trailerOf = ({ name, email }: Pick<Signature, 'name' | 'email'>): string =>
  `${cleanName(name) || cleanName(email)} <${cleanName(email)}>`

/** Adds trailers to a message and skips those that it has already (git-interpret-trailers). */
export function withTrailers(message: string, trailers: readonly string[]): string {
  const text = message.trimEnd()
  const present = new Set(text.split('\n').map((line) => line.trim()))
  const added = trailers.filter((line, at) => !present.has(line) && trailers.indexOf(line) === at)
  if (added.length === 0) return `${text}\n`
  const glue = Object.keys(parseTrailers(text)).length > 0 ? '\n' : '\n\n'
  return `${text}${glue}${added.join('\n')}\n`
}

/** `Co-authored-by` trailers: each email address once, without the author. */
export function coAuthors(author: Signature, others: readonly Signature[]): string[] {
  const seen = new Set([author.email.toLowerCase()])
  const lines: string[] = []
  for (const other of others) {
    const email = other.email.toLowerCase()
    if (email === '' || seen.has(email)) continue
    seen.add(email)
    lines.push(`Co-authored-by: ${trailerOf(other)}`)
  }
  return lines
}

/** Trailers that name the pull request, on every commit of every method. */
export function originTrailers(hearth: Hearth, full_name: string, pull: PullRow): string[] {
  const trailers = [`Pull-Request: ${full_name}#${pull.number}`]
  if (pull.session_entries > 0)
    trailers.push(`Session: ${pullUrl(hearth, full_name, pull.number)}/session`)
  return trailers
}

/** The git identity of a person, workspace or agent. */
export function identityOf(hearth: Hearth, actor: Actor): Signature {
  const person = actor.kind === 'user' ? userCaller(hearth.db, actor.id) : null
  if (person) return commitIdentity(hearth, person)
  const name = actor.name ?? actor.username
  return {
    name,
    email: privateAddress(hearth, actor.id, actor.username.replace(/[^A-Za-z0-9._-]/g, '-')),
    time: Math.floor(hearth.clock.now() / 1000),
    zone: '+0000',
  }
}

/**
 * The author and co-authors of a squash commit. For an agent the author is its person, with the
 * agent as a co-author.
 */
export function squashAuthors(
  hearth: Hearth,
  pull: PullRow,
  commits: readonly Commit[],
): { author: Signature; co_authors: string[] } {
  const actor = actorOf(hearth, pull.author_id)
  const person = actor.on_behalf_of === null ? actor : actorOf(hearth, actor.on_behalf_of.id)
  const author = identityOf(hearth, person)
  const others = [
    ...(actor === person ? [] : [identityOf(hearth, actor)]),
    ...commits.toReversed().map((commit) => commit.author),
  ]
  return { author, co_authors: coAuthors(author, others) }
}

/** The service's git identity, the committer of rebased commits. */
export const serviceIdentity = (hearth: Hearth): Signature => ({
  name: 'Hearth',
  email: `noreply@${new URL(hearth.settings.site_url).hostname}`,
  time: Math.floor(hearth.clock.now() / 1000),
  zone: '+0000',
})

/** The default message: a subject line and the description. */
export function defaultMessage(
  method: 'merge' | 'squash' | 'rebase',
  pull: Pick<PullRow, 'number' | 'title' | 'body'>,
): string {
  const first =
    method === 'squash' ? `${pull.title} (#${pull.number})` : `Merge #${pull.number}: ${pull.title}`
  return pull.body.trim() === '' ? first : `${first}\n\n${pull.body.trim()}`
}
