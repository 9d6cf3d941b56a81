/**
 * One operation of a forge as its description (OpenAPI) tells of it, with the flags that its inputs
 * make.
 */
import type { OpenApi, OpenApiOperation, OpenApiParameter } from '#http/openapi.ts'
import { nearest } from '#lib/nearest.ts'
import { CommandError, UsageError } from '../command.ts'

type Schema = {
  readonly type?: string | readonly string[]
  readonly $ref?: string
  readonly items?: Schema
  readonly enum?: readonly unknown[]
  readonly description?: string
  readonly anyOf?: readonly Schema[]
}
type Place = 'path' | 'query' | 'body' | 'repo' | 'file'
export type Input = {
  readonly name: string
  readonly place: Place
  readonly required: boolean
  readonly schema: Schema
  readonly description: string
}
export type Route = {
  readonly method: string
  readonly path: string
  readonly summary: string
  readonly inputs: readonly Input[]
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete']

/**
 * The routes of an operation by its tool name, several when it serves repositories and workspaces.
 * Gives UsageError with the nearest name.
 */
export function routesNamed(document: OpenApi, wanted: string): Route[] {
  const name = wanted.replaceAll('-', '_')
  const all = Object.entries(document.paths).flatMap(([path, methods]) =>
    METHODS.flatMap((method) => {
      const entry = methods[method]
      return entry
        ? [{ path, method, entry, name: String(entry['x-tool'] ?? entry.operationId) }]
        : []
    }),
  )
  const found = all.filter((one) => one.name === name || one.entry.operationId === name)
  if (found.length === 0)
    throw new UsageError(
      `there is no operation ${wanted}; did you mean ${nearest(
        name,
        all.map((one) => one.name),
      )}?`,
    )
  return found.map(({ path, method, entry }) => ({
    method: method.toUpperCase(),
    path,
    summary: entry.summary,
    inputs: inputsOf(document, path, entry),
  }))
}

function inputsOf(document: OpenApi, path: string, entry: OpenApiOperation): Input[] {
  const inputs: Input[] = []
  const ofRepo = path.includes('/{owner}/{name}')
  if (ofRepo)
    inputs.push({
      name: 'repo',
      place: 'repo',
      required: true,
      schema: { type: 'string' },
      description: 'The repository as <owner>/<name>.',
    })
  for (const given of entry.parameters ?? []) {
    const parameter =
      '$ref' in given
        ? (document.components.parameters[given.$ref.split('/').at(-1) ?? ''] as
            | OpenApiParameter
            | undefined)
        : given
    if (
      !parameter ||
      (parameter.in !== 'path' && parameter.in !== 'query') ||
      (ofRepo && '$ref' in given)
    )
      continue
    inputs.push({
      name: parameter.name,
      place: parameter.in,
      required: parameter.required,
      schema: resolved(document, parameter.schema as Schema),
      description: parameter.description ?? '',
    })
  }
  const body = entry.requestBody?.content['application/json']?.schema as
    | { properties?: Record<string, Schema>; required?: string[] }
    | undefined
  for (const [name, schema] of Object.entries(body?.properties ?? {})) {
    inputs.push({
      name,
      place: 'body',
      required: body?.required?.includes(name) ?? false,
      schema: resolved(document, schema),
      description: schema.description ?? '',
    })
  }
  if (entry.requestBody?.content['application/octet-stream']) {
    inputs.push({
      name: 'file',
      place: 'file',
      required: true,
      schema: { type: 'string' },
      description: 'The path of the file to send.',
    })
  }
  return inputs
}

const resolved = (document: OpenApi, schema: Schema): Schema =>
  schema.$ref === undefined
    ? schema
    : ((document.components.schemas[schema.$ref.split('/').at(-1) ?? ''] as Schema | undefined) ??
      schema)

const typesOf = ({ type, anyOf }: Schema): readonly string[] =>
  type === undefined ? (anyOf ?? []).flatMap(typesOf) : typeof type === 'string' ? [type] : type

/**
 * Reads `--name value`, `--name=value` and bare flags for yes. A list takes its flag several times.
 * Gives UsageError.
 */
export function readFlags(
  routes: readonly Route[],
  words: readonly string[],
  operation: string,
): Map<string, string[]> {
  const known = new Map(
    routes.flatMap(({ inputs }) => inputs.map((input) => [input.name, input] as const)),
  )
  const values = new Map<string, string[]>()
  for (let i = 0; i < words.length; i++) {
    const word = words[i] ?? ''
    if (!word.startsWith('--'))
      throw new UsageError(
        `${JSON.stringify(word)} belongs to no flag; write hearth api ${operation} --input value`,
      )
    const [flag = '', inline] = word.slice(2).split(/=(.*)/s)
    const name = flag.replaceAll('-', '_')
    const input = known.get(name)
    if (!input)
      throw new UsageError(
        known.size === 0
          ? `${operation} takes no inputs`
          : `${operation} has no input --${flag}; did you mean --${nearest(name, [...known.keys()])}?`,
      )
    const next = words[i + 1]
    const isBare =
      inline === undefined &&
      typesOf(input.schema).includes('boolean') &&
      next !== 'true' &&
      next !== 'false'
    const value = isBare ? 'true' : (inline ?? words[++i])
    if (value === undefined) throw new UsageError(`--${flag} needs a value`)
    const before = values.get(name) ?? []
    if (before.length > 0 && !typesOf(input.schema).includes('array'))
      throw new UsageError(`--${flag} was given twice`)
    values.set(name, [...before, value])
  }
  return values
}

/** The route that the flags fit: all that it requires is there, and it takes all that was given. */
export function routeFor(
  routes: readonly Route[],
  values: ReadonlyMap<string, string[]>,
  operation: string,
): Route {
  const fitting = routes.find(
    ({ inputs }) =>
      [...values.keys()].every((name) => inputs.some((input) => input.name === name)) &&
      inputs.every(({ name, required }) => !required || values.has(name)),
  )
  if (fitting) return fitting
  const [first] = routes
  const missing =
    first?.inputs
      .filter(({ name, required }) => required && !values.has(name))
      .map(({ name }) => `--${name}`) ?? []
  throw new UsageError(
    missing.length > 0
      ? `${operation} needs ${missing.join(' and ')}`
      : `these inputs of ${operation} do not go together`,
  )
}

function valueOf({ name, schema }: Input, texts: readonly string[]): unknown {
  const types = typesOf(schema)
  const one = (text: string, among: readonly string[]): unknown => {
    if (among.includes('null') && text === 'null') return null
    if (among.includes('boolean') && (text === 'true' || text === 'false')) return text === 'true'
    if (
      (among.includes('integer') || among.includes('number')) &&
      text !== '' &&
      Number.isFinite(Number(text))
    )
      return Number(text)
    if (among.includes('string')) return text
    if (among.includes('object') || among.includes('array') || among.length === 0) {
      try {
        return JSON.parse(text)
      } catch {
        if (among.length === 0) return text
        throw new UsageError(`--${name} must be JSON`)
      }
    }
    throw new UsageError(`--${name} must be ${among.join(' or ')}, not ${JSON.stringify(text)}`)
  }
  const [first = ''] = texts
  if (!types.includes('array')) return one(first, types)
  if (texts.length === 1 && types.includes('null') && first === 'null') return null
  if (texts.length === 1 && first.startsWith('[')) return one(first, ['array'])
  return texts.map((text) => one(text, typesOf(schema.items ?? {})))
}

/** The request that the flags stand for, below the address of the interface. */
export function requestOf(
  route: Route,
  values: ReadonlyMap<string, string[]>,
): { path: string; body: string | null; file: string | null } {
  let path = route.path
  const query = new URLSearchParams()
  const body: Record<string, unknown> = {}
  let file: string | null = null
  for (const input of route.inputs) {
    const texts = values.get(input.name)
    if (!texts) continue
    const text = texts[0] ?? ''
    if (input.place === 'repo') {
      const cut = text.indexOf('/')
      if (cut < 1 || cut === text.length - 1) throw new UsageError('--repo must be <owner>/<name>')
      path = path
        .replace('{owner}', encodeURIComponent(text.slice(0, cut)))
        .replace('{name}', encodeURIComponent(text.slice(cut + 1)))
    } else if (input.place === 'file') file = text
    else if (input.place === 'path')
      path = path.replace(`{${input.name}}`, encodeURIComponent(text))
    else if (input.place === 'query') for (const item of texts) query.append(input.name, item)
    else body[input.name] = valueOf(input, texts)
  }
  if (path.includes('{')) throw new CommandError(`the address ${path} could not be filled in`)
  const tail = query.toString()
  return {
    path: tail === '' ? path : `${path}?${tail}`,
    body: Object.keys(body).length > 0 ? JSON.stringify(body) : null,
    file,
  }
}

export function helpOfRoutes(operation: string, routes: readonly Route[]): string {
  const inputs = new Map(
    routes.flatMap((route) => route.inputs.map((input) => [input.name, input] as const)),
  )
  const rows = [...inputs.values()].map(
    ({ name, schema, required, description }): [string, string] => {
      const words = Array.isArray(schema.enum)
        ? schema.enum.filter((word) => word !== null).join('|')
        : typesOf(schema)
            .filter((type) => type !== 'null')
            .join('|')
            .toUpperCase() || 'VALUE'
      return [`--${name} ${words}`, `${required ? 'Required. ' : ''}${description}`]
    },
  )
  const width = Math.min(40, Math.max(0, ...rows.map(([left]) => left.length))) + 2
  return [
    `hearth api ${operation}`,
    '',
    routes[0]?.summary ?? '',
    '',
    ...rows.map(([left, right]) => `  ${left.padEnd(width)}${right}`.trimEnd()),
    '',
  ].join('\n')
}
