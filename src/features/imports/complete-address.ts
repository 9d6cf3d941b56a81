import { invalid } from '#lib/errors.ts'
import type { Source } from './schema.ts'

/** The public host of a forge, for addresses that name only an owner and a repository. */
const PUBLIC_HOSTS: Readonly<Partial<Record<Source, string>>> = {
  github_api: 'https://github.com',
  gitlab_api: 'https://gitlab.com',
}

const PATH = /^[\w.-]+(?:\/[\w.-]+)*$/

/**
 * The whole address of what somebody typed. `owner/name` is on the public host of the forge, and a
 * host without a scheme gets https. Throws 422 for a bare name when the forge has no public host.
 */
export function completeAddress(source: Source, typed: string, field = 'url'): string {
  const text = typed.trim()
  // Other schemes and git's form `host:path` are refused with their own reason.
  if (text.includes(':')) return text
  const path = text.replace(/^\/{1,9}|\/{1,9}$/g, '')
  if (!PATH.test(path)) return text
  const [first = '', ...rest] = path.split('/')
  if (first.includes('.') && rest.length > 0) return `https://${path}`
  const host = PUBLIC_HOSTS[source]
  if (host !== undefined) return `${host}/${path}`
  throw invalid(
    field,
    `${path} is not an address: write it with its host, such as https://git.example.com/${path}`,
  )
}
