/** Names whose workspaces moved to another forge, for the command `hearth redirect`. */
import { departures } from '#core/departures.ts'
import type { Hearth } from '#core/hearth.ts'
import { writeAs } from '#core/write.ts'
import { invalid, notFound } from '#lib/errors.ts'
import { isSlug } from '#lib/slug.ts'
import { listNameHolders } from './store/actors.ts'
import { listDeparted, removeDeparted, setDeparted } from './store/departed.ts'

export const departedNames = departures.with(listDeparted)

const FORM = 'the address of the workspace there, such as https://git.example.com/acme'

/** Parses the address of a workspace of another forge. Throws 422. */
function parseAddress(hearth: Hearth, text: string): string {
  const url = URL.parse(text.trim())
  const slug = url?.pathname.slice(1).replace(/\/$/, '') ?? ''
  const isPlain =
    url !== null &&
    /^https?:$/.test(url.protocol) &&
    url.username + url.password + url.search + url.hash === '' &&
    isSlug(slug)
  if (!isPlain) throw invalid('address', `${text.slice(0, 200)} is not ${FORM}`)
  if (url.origin === new URL(hearth.settings.site_url).origin)
    throw invalid('address', `${url.origin} is this forge: name the one that has the workspace now`)
  return `${url.origin}/${slug}`
}

/**
 * Leads all addresses of a workspace to another forge. From now on nothing of it can be read or
 * changed here, so an archive that is written afterwards has everything.
 */
export async function redirectWorkspace(
  hearth: Hearth,
  slug: string,
  address: string,
): Promise<string> {
  const target = parseAddress(hearth, address)
  await writeAs(hearth, null, (tx) => {
    const holder = listNameHolders(tx.db, slug).find(({ kind }) => kind === 'workspace')
    if (!holder && !listDeparted(tx.db).has(slug)) throw notFound(`the workspace ${slug}`)
    setDeparted(tx, slug, target)
    tx.audit({
      action: 'workspace.redirected',
      target: { kind: 'workspace', id: holder?.id ?? '', name: slug },
      workspace_id: holder?.id ?? null,
      data: { after: { address: target } },
    })
  })
  return target
}

/** Ends the redirect. What is still here can be read and changed again. */
export async function endRedirect(hearth: Hearth, slug: string): Promise<void> {
  await writeAs(hearth, null, (tx) => {
    const holder = listNameHolders(tx.db, slug).find(({ kind }) => kind === 'workspace')
    if (removeDeparted(tx, slug) === 0) throw notFound(`a redirect of ${slug}`)
    tx.audit({
      action: 'workspace.redirect_ended',
      target: { kind: 'workspace', id: holder?.id ?? '', name: slug },
      workspace_id: holder?.id ?? null,
    })
  })
}

/** The names that lead elsewhere, with their addresses there. */
export const listRedirects = ({ db }: Hearth): ReadonlyMap<string, string> => listDeparted(db)
