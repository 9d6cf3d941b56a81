/** Servers that list what an owner has, as Gitea, GitHub and GitLab describe it. */
import type { Dialect } from './stand-in.ts'

export type OwnerStandInOptions = {
  readonly count: number
  /** What must be given; nothing else is answered. */
  readonly token?: string
  /** The person whose token it is. */
  readonly login?: string
  /** The kind of `acme` there. */
  readonly kind?: 'organisation' | 'person'
  readonly instead?: (path: string) => Response | Promise<Response> | null
}

const GITEA = /^\/api\/v1\/users\/acme\/repos$/
const GITHUB = { organisation: /^\/api\/v3\/orgs\/acme\/repos$/, person: /\/users\/acme\/repos$/ }
const GITLAB = {
  organisation: /^\/api\/v4\/groups\/(acme|acme%2Fdeep)\/projects$/,
  person: /^\/api\/v4\/users\/acme\/projects$/,
}

export function startOwnerStandIn(dialect: Dialect, options: OwnerStandInOptions) {
  const { count, token, login = 'ada', kind = 'organisation', instead = () => null } = options
  const asked: string[] = []
  const repo = (n: number, owner = 'acme') => {
    const isPrivate = n % 2 === 0
    const about = { description: `Lamp ${n}`, archived: n === 3 }
    return dialect === 'gitlab_api'
      ? {
          ...about,
          path_with_namespace: `${owner}/deep/lamp-${n}`,
          visibility: isPrivate ? 'internal' : 'public',
          empty_repo: n === 4,
        }
      : {
          ...about,
          full_name: `${owner}/lamp-${n}`,
          private: isPrivate,
          fork: n === 5,
          empty: n === 4,
          // An answer may name any host; the token goes to the one that was typed.
          clone_url: 'https://evil.example/steal.git',
        }
  }
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request) {
      const url = new URL(request.url)
      asked.push(`${url.pathname}${url.search}`)
      const other = await instead(url.pathname)
      if (other) return other
      const given = request.headers.get('authorization')?.split(' ')[1]
      if (token !== undefined && given !== token) return new Response(null, { status: 401 })
      if (url.pathname.endsWith('/user')) return Response.json({ login })
      const isOwn = url.pathname.endsWith('/user/repos')
      const matches =
        dialect === 'gitea_api'
          ? GITEA.test(url.pathname)
          : dialect === 'github_api'
            ? isOwn || GITHUB[kind].test(url.pathname)
            : GITLAB[kind].test(url.pathname)
      const one = /(?:repos\/acme\/|projects\/acme%2F(?:deep%2F)?)lamp-(\d+)$/.exec(url.pathname)
      if (one) return Response.json(repo(Number(one[1])))
      if (!matches) return new Response(null, { status: 404 })
      const size = Number(url.searchParams.get('per_page') ?? url.searchParams.get('limit'))
      const page = Number(url.searchParams.get('page'))
      const hasNext = page * size < count
      const next = new URL(url)
      next.searchParams.set('page', String(page + 1))
      const length = Math.max(0, Math.min(size, count - (page - 1) * size))
      return Response.json(
        Array.from({ length }, (_, n) => repo((page - 1) * size + n + 1)),
        {
          headers:
            dialect === 'gitlab_api'
              ? { 'x-next-page': hasNext ? String(page + 1) : '' }
              : dialect === 'github_api' && hasNext
                ? { link: `<${next.href}>; rel="next"` }
                : {},
        },
      )
    },
  })
  return {
    url: `http://127.0.0.1:${server.port}`,
    asked,
    close: () => server.stop(true),
  }
}
