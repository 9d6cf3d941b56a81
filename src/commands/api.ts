import type { OpenApi } from '#http/rest/openapi.ts'
import { clientSettings } from '#src/config.ts'
import { CommandError, UsageError, type Command } from './command.ts'
import { loadCredentials, originOf } from './client/credentials.ts'
import { helpOfRoutes, readFlags, requestOf, routeFor, routesNamed } from './client/operation.ts'

/** The forge and token: `HEARTH_URL` and `HEARTH_TOKEN`, else the only forge with a token. */
function forge(): { origin: string; token: string | null } {
  const { url, token } = clientSettings()
  const kept = loadCredentials()
  const origins = Object.keys(kept)
  const [only, ...others] = origins
  if (url === undefined && only === undefined)
    throw new CommandError('which forge? sign in with hearth login URL, or set HEARTH_URL')
  if (url === undefined && others.length > 0)
    throw new CommandError(`which forge? set HEARTH_URL to one of ${origins.join(', ')}`)
  const origin = originOf(url ?? only ?? '')
  return { origin, token: token ?? kept[origin]?.token ?? null }
}

async function send(
  origin: string,
  token: string | null,
  method: string,
  path: string,
  body: string | Blob | null,
): Promise<Response> {
  try {
    return await fetch(`${origin}/api${path}`, {
      method,
      redirect: 'manual',
      body,
      headers: {
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
        ...(body === null
          ? {}
          : { 'content-type': typeof body === 'string' ? 'application/json' : body.type }),
      },
    })
  } catch (error) {
    throw new CommandError(
      `${origin} cannot be reached: ${error instanceof Error ? error.message : String(error)}`,
    )
  }
}

/** A file that is read while it is sent. */
async function bytesOf(path: string): Promise<Blob> {
  const file = Bun.file(path)
  if (!(await file.exists())) throw new CommandError(`${path} is not a file that can be read`)
  return file
}

export const api: Command = {
  name: 'api',
  summary:
    'Calls one operation of the forge you signed in to (or HEARTH_URL) and prints its answer as JSON.',
  args: ['OPERATION', '[--input value …]'],
  flags: {},
  raw: true,

  async run({ args: [operation, ...words] }) {
    if (operation === undefined || operation.startsWith('-'))
      throw new UsageError(
        'usage: hearth api OPERATION [--input value …]; see hearth api OPERATION --help',
      )
    const { origin, token } = forge()
    const description = await send(origin, null, 'GET', '/openapi.json', null)
    const document = (await description.json().catch(() => null)) as OpenApi | null
    if (!description.ok || !document?.paths)
      throw new CommandError(`${origin} is not a forge of this kind`)
    const routes = routesNamed(document, operation)
    if (words.includes('--help') || words.includes('-h'))
      return void process.stdout.write(helpOfRoutes(operation, routes))
    const values = readFlags(routes, words, operation)
    const route = routeFor(routes, values, operation)
    const { path, body, file } = requestOf(route, values)
    const response = await send(
      origin,
      token,
      route.method,
      path,
      file === null ? body : await bytesOf(file),
    )
    const text = await response.text()
    // A long response must be written before the process ends.
    const print = async (value: unknown): Promise<void> =>
      void (await Bun.write(Bun.stdout, `${JSON.stringify(value, null, 2)}\n`))
    if (response.status >= 300 && response.status < 400)
      return print({ location: response.headers.get('location') })
    let value: unknown = null
    try {
      value = text === '' ? null : JSON.parse(text)
    } catch {
      throw new CommandError(`${origin} answered with status ${response.status} and no JSON`)
    }
    if (!response.ok) {
      const error = (value as { error?: { message?: string; reason?: string | null } } | null)
        ?.error
      throw new CommandError(
        error?.message
          ? `${error.message}${error.reason ? ` (${error.reason})` : ''}`
          : `status ${response.status}`,
      )
    }
    await print(value)
  },
}
