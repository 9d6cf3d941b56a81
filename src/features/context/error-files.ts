/** The stack trace of an error, with the files of the repository that it means. */
import { encodePath } from '#lib/percent-encoding.ts'
import type { RepoGrant } from '#core/access.ts'
import type { Hearth } from '#core/hearth.ts'
import { locateStackTrace, type LocatedTrace } from '#features/integrations/index.ts'
import { lineAddress } from '#lib/line-address.ts'
import type { FetchedTicket } from './fetch-ticket.ts'
import { MAX_TICKET_BODY_CHARS, MAX_TICKET_FILES, type Ticket } from './schema.ts'

const MAX_SHOWN_FRAMES = 20

type Frame = LocatedTrace['frames'][number]

const lineOf = ({ path, file, line, name }: Frame): string =>
  [
    `  ${path ?? file}${line === null ? '' : `:${line}`}`,
    ...(name === '' ? [] : [`in ${name}`]),
    ...(path === null ? ['(not in this repository)'] : []),
  ].join(' ')

/** A ticket with the files of its stack trace; as it is when it has none. */
export async function withFiles(
  hearth: Hearth,
  repo: RepoGrant,
  { ticket, trace }: FetchedTicket,
): Promise<Ticket> {
  const located = trace && (await locateStackTrace(hearth, repo, trace))
  if (located === null) return ticket
  const { commit, frames } = located
  const home = `${hearth.settings.site_url}/${repo.full_name}/blob/${commit}`
  const lines = frames.slice(0, MAX_SHOWN_FRAMES).map(lineOf)
  const body = `${ticket.body}\n\nStack trace at ${commit.slice(0, 10)}, the newest call first:\n${lines.join('\n')}`
  return {
    ...ticket,
    body: body.toWellFormed().slice(0, MAX_TICKET_BODY_CHARS).trim(),
    files: frames
      .flatMap(({ path, line }) => (path === null ? [] : [{ path, line }]))
      .slice(0, MAX_TICKET_FILES)
      .map(({ path, line }) => ({
        path,
        line,
        url: `${home}/${encodePath(path)}${line === null ? '' : lineAddress(line)}`,
      })),
  }
}
