/** Addresses of renamed repositories and workspaces. */
import { encodePath } from '#lib/percent-encoding.ts'
import type { Moved } from '#lib/errors.ts'

/** The new address of a page. Null when its repository or workspace was not renamed. */
export function movedAddress(url: URL, { from, to }: Moved): string | null {
  const [, workspace = '', repo = '', ...rest] = url.pathname.split('/')
  if (!from.includes('/'))
    return workspace.toLowerCase() === from.toLowerCase()
      ? `/${[to, ...url.pathname.split('/').slice(2)].join('/')}${url.search}`
      : null
  const [oldName, newName] = [from, to].map((path) => path.split('/').slice(0, 2).join('/'))
  let asked: string
  try {
    asked = `${decodeURIComponent(workspace)}/${decodeURIComponent(repo)}`
  } catch {
    return null
  }
  if (newName === undefined || asked.toLowerCase() !== oldName?.toLowerCase()) return null
  return `/${[encodePath(newName), ...rest].join('/')}${url.search}`
}
