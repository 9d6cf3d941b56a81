/** One operation of a forge, read from its OpenAPI description, with its inputs as flags. */
import type { OpenApi, OpenApiOperation, OpenApiParameter } from '#http/rest/openapi.ts'
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
/** Where an input is in the request. */
type InputPlace = 'path' | 'query' | 'body' | 'repo' | 'file'
export type Input = {
  readonly name: string
  readonly place: InputPlace
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
 * The routes of an operation by its tool name. There are several when it serves repositories and
 * workspaces. Throws UsageError with the nearest name for an unknown one.
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

const REPO_INPUT: Input = {
  name: 'repo',
  place: 'repo',
  required: true,
  schema: { type: 'string' },
  description: 'The repository as <owner>/<name>.',
}
const FILE_INPUT: Input = {
  name: 'file',
  place: 'file',
  required: true,
  schema: { type: 'string' },
  description: 'The path of the file to send.',
}

function inputsOf(document: OpenApi, path: string, entry: OpenApiOperation): Input[] {
  const isOfRepo = path.includes('/{owner}/{name}')
  const isFile = entry.requestBody?.content['application/octet-stream'] !== undefined
  return [
    ...(isOfRepo ? [REPO_INPUT] : []),
    ...parameterInputs(document, entry, isOfRepo),
    ...bodyInputs(document, entry),
    ...(isFile ? [FILE_INPUT] : []),
  ]
}

/** The inputs in path and query. Shared parameters of repositories are folded into `repo`. */
function parameterInputs(document: OpenApi, entry: OpenApiOperation, isOfRepo: boolean): Input[] {
  return (entry.parameters ?? []).flatMap((given): Input[] => {
    const isShared = '$ref' in given
    const parameter = isShared
      ? (document.components.parameters[given.$ref.split('/').at(-1) ?? ''] as
          | OpenApiParameter
          | undefined)
      : given
    if (!parameter || (isOfRepo && isShared)) return []
    if (parameter.in !== 'path' && parameter.in !== 'query') return []
    return [
      {
        name: parameter.name,
        place: parameter.in,
        required: parameter.required,
        schema: resolved(document, parameter.schema as Schema),
        description: parameter.description ?? '',
      },
    ]
  })
}

/** The inputs in a JSON body. */
function bodyInputs(document: OpenApi, entry: OpenApiOperation): Input[] {
  const body = entry.requestBody?.content['application/json']?.schema as
    | { properties?: Record<string, Schema>; required?: string[] }
    | undefined
  return Object.entries(body?.properties ?? {}).map(([name, schema]) => ({
    name,
    place: 'body',
    required: body?.required?.includes(name) ?? false,
    schema: resolved(document, schema),
    description: schema.description ?? '',
  }))
}

const resolved = (document: OpenApi, schema: Schema): Schema =>
  schema.$ref === undefined
    ? schema
    : ((document.components.schemas[schema.$ref.split('/').at(-1) ?? ''] as Schema | undefined) ??
      schema)

const typesOf = ({ type, anyOf }: Schema): readonly string[] =>
  type === undefined ? (anyOf ?? []).flatMap(typesOf) : typeof type === 'string' ? [type] : type

/**
 * Parses `--name value`, `--name=value`, and a bare flag for true. A list takes its flag several
 * times. Throws UsageError.
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

/** The route that has all given inputs, and whose required inputs are given. Throws UsageError. */
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

/** The request of the flags. The path is relative to the address of the REST interface. */
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
