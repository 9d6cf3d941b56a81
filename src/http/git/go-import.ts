/**
 * Tells the go command where the repository of an import path is (https://go.dev/ref/mod#vcs-find):
 * it asks for the path with `?go-get=1`, and reads the meta tag `go-import`. Whoever may not fetch
 * the repository gets the page that others get, which says the same for one that does not exist.
 */
import { decide } from '#core/access.ts'
import { RESERVED_SLUGS } from '#core/reserved-names.ts'
import { Moved, Refusal } from '#lib/errors.ts'
import type { Exchange } from '../exchange.ts'
import { requireOperation } from './git-access.ts'
import { gitCallerOf } from './git-credentials.ts'

/** A repository, with the folder of a package in it or without. */
const ADDRESS = /^\/([A-Za-z0-9][A-Za-z0-9-]{0,99})\/([A-Za-z0-9._-]{1,100})(?:\/|$)/

const isAsked = ({ method, query }: Exchange): boolean =>
  method === 'GET' && query.split('&').includes('go-get=1')

/** The current name of a repository that the caller may fetch; null for any other. */
function findRepo({ hearth, request }: Exchange, repo: string): string | null {
  const { access } = requireOperation(hearth, 'fetch_repo')
  try {
    decide(access, gitCallerOf(hearth, request), { repo }, hearth.facts)
    return repo
  } catch (error) {
    // The import path keeps the former name, and the code is fetched from the current one.
    if (error instanceof Moved) return error.to
    if (error instanceof Refusal) return null
    throw error
  }
}

/** Null for a request that the go command did not send. */
export function goImportResponse(exchange: Exchange): Response | null {
  if (!isAsked(exchange)) return null
  const [, slug, name] = ADDRESS.exec(exchange.path) ?? []
  if (slug === undefined || name === undefined || RESERVED_SLUGS.has(slug.toLowerCase()))
    return null
  const asked = `${slug}/${name}`
  const repo = findRepo(exchange, asked)
  if (repo === null) return null
  const { site_url } = exchange.hearth.settings
  // The names have none of the characters that HTML gives a meaning.
  const content = `${site_url.replace(/^https?:\/\//, '')}/${asked} git ${site_url}/${repo}.git`
  return new Response(
    `<!doctype html><html><head><meta name="go-import" content="${content}"></head></html>\n`,
    {
      headers: {
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'no-store',
        'content-security-policy': "default-src 'none'",
        'x-content-type-options': 'nosniff',
      },
    },
  )
}
