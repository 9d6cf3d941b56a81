/**
 * One operation at one REST route: what its path, query and body contain. The path is read at the
 * start, and what follows from the schemas with the first request of the route: few of the routes
 * are asked soon, and the schemas of all take a tenth of the start.
 */
import type { Operation } from '#core/operation.ts'
import { lazy } from '#lib/lazy.ts'
import { showsSecret } from '../compression.ts'
import { foldQuery, parseText, percentDecode } from '../query.ts'
import {
  asJsonSchema,
  camelCase,
  type Field,
  fieldOf,
  type Renames,
  renamesOf,
  type Shape,
} from '../shape.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

type PathPart = {
  readonly index: number
  readonly field: Field
  /** Takes the rest of the path with its slashes. */
  readonly takesRest: boolean
}

export type Route = {
  readonly operation: Operation
  readonly method: Method
  /** As published: `/v1/repos/{owner}/{name}/issues`. */
  readonly written: string
  /** Without `/v1`. */
  readonly path: string
  /** The segments of `path`, for the router and for reading. */
  readonly segments: readonly string[]
  readonly pathParts: readonly PathPart[]
  /** The position of a parameter whose slashes may be sent as they are; null without one. */
  readonly slashedAt: number | null
  /** The positions of `{owner}` and `{name}` when they are the input `repo`. */
  readonly repoAt: { readonly owner: number; readonly name: number } | null
} & RouteSchemas

/** What follows from the schemas of the operation. */
type RouteSchemas = {
  /** Inputs that may be in the query or body, in both spellings. */
  readonly fields: ReadonlyMap<string, Field>
  readonly shape: Shape
  readonly list: { readonly defaultSize: number; readonly maxSize: number } | null
  readonly isList: boolean
  readonly renames: Renames | null
  /** Whether its responses have a secret, and so are never compressed. */
  readonly showsSecret: boolean
}

const METHODS: ReadonlySet<string> = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'])

/** Parameters that may contain slashes anywhere in a path; fixed segments may follow them. */
const SLASHED_PARAMETERS: ReadonlySet<string> = new Set(['package_name'])

/** Parameters that may contain slashes, at the end of a path. */
const REST_PARAMETERS: ReadonlySet<string> = new Set(['path'])

export function routesOf(operation: Operation): Route[] {
  return operation.routes.map((text) => routeOf(operation, text))
}

function routeOf(operation: Operation, text: string): Route {
  const [method = '', written = ''] = text.split(' ')
  if (!METHODS.has(method) || !written.startsWith('/'))
    throw new TypeError(`${operation.name} has a route that is none: ${text}`)
  const path = written.startsWith('/v1/') ? written.slice(3) : written
  const segments = path.split('/').slice(1)
  const properties = asJsonSchema(operation.input).properties ?? {}
  const names = segments.map((segment) => /^\{(\w+)\}$/.exec(segment)?.[1] ?? null)
  const owner = names.indexOf('owner')
  const foldsRepo = owner >= 0 && names[owner + 1] === 'name' && 'repo' in properties
  const taken = new Set<string>(foldsRepo ? ['repo'] : [])
  const pathParts: PathPart[] = []
  for (const [index, name] of names.entries()) {
    if (name === null || (foldsRepo && (index === owner || index === owner + 1))) continue
    const schema = properties[name]
    if (!schema) throw new TypeError(`${operation.name} has no input for {${name}} of ${text}`)
    taken.add(name)
    pathParts.push({
      index,
      field: fieldOf(name, schema),
      takesRest: REST_PARAMETERS.has(name) && index === segments.length - 1,
    })
  }
  // Only the path of such an operation decides which repository or workspace it is for.
  if (operation.access.target === 'either')
    for (const name of ['repo', 'workspace']) taken.add(name)
  const schemas = lazy(() => readSchemas(operation, taken))
  return {
    operation,
    method: method as Method,
    written,
    path,
    segments,
    pathParts,
    slashedAt: pathParts.find(({ field }) => SLASHED_PARAMETERS.has(field.name))?.index ?? null,
    repoAt: foldsRepo ? { owner, name: owner + 1 } : null,
    get fields() {
      return schemas().fields
    },
    get shape() {
      return schemas().shape
    },
    get list() {
      return schemas().list
    },
    get isList() {
      return schemas().isList
    },
    get renames() {
      return schemas().renames
    },
    get showsSecret() {
      return schemas().showsSecret
    },
  }
}

/** `taken` are the inputs that the path has. */
function readSchemas(operation: Operation, taken: ReadonlySet<string>): RouteSchemas {
  const input = asJsonSchema(operation.input)
  const properties = input.properties ?? {}
  const fields = new Map<string, Field>()
  for (const [name, schema] of Object.entries(properties)) {
    if (taken.has(name) || schema['x-tool-only'] === true) continue
    const field = fieldOf(name, schema)
    for (const spelling of [name, camelCase(name)]) fields.set(spelling, field)
  }
  // Lists that are paged by key refuse a page number, so `page` must reach them.
  if (operation.list === 'before' || operation.list === 'after')
    fields.set('page', fieldOf('page', { type: 'integer' }))
  const output = asJsonSchema(operation.output)
  const isList = output['x-list'] === true
  return {
    fields,
    shape: { kind: 'object', fields, closed: input['x-refuses-unknown'] !== true },
    list: operation.list === null ? null : pageSizesOf(properties.per_page ?? {}),
    isList,
    renames: renamesOf(isList ? (output.properties?.items ?? {}) : output),
    showsSecret: showsSecret(operation),
  }
}

const pageSizesOf = (
  perPage: ReturnType<typeof asJsonSchema>,
): { defaultSize: number; maxSize: number } => ({
  defaultSize: Number(perPage['x-default'] ?? 30),
  maxSize: Number(perPage['x-max'] ?? 100),
})

/** The segments of a path below a prefix, without a slash at its end. */
export function segmentsBelow(path: string, prefix: string): string[] {
  const end = path.endsWith('/') ? path.length - 1 : path.length
  return path.slice(prefix.length + 1, end).split('/')
}

/** Whether a path with so many segments is one of the route, with slashes in a parameter. */
export function takesSlashes({ segments, slashedAt }: Route, sent: readonly string[]): boolean {
  if (slashedAt === null || sent.length < segments.length) return false
  const added = sent.length - segments.length
  return segments.every(
    (segment, index) =>
      segment.startsWith('{') || segment === sent[index > slashedAt ? index + added : index],
  )
}

/** The segments of a path as the route counts them: a parameter with slashes is one. */
export function joinSlashed({ segments, slashedAt }: Route, sent: string[]): string[] {
  const added = sent.length - segments.length
  if (slashedAt === null || added <= 0) return sent
  const end = slashedAt + added + 1
  return [...sent.slice(0, slashedAt), sent.slice(slashedAt, end).join('%2F'), ...sent.slice(end)]
}

/** The inputs in the path. Throws 400 for broken percent-encoding. */
export function foldPath(route: Route, segments: readonly string[]): Record<string, unknown> {
  const input: Record<string, unknown> = {}
  const { repoAt, pathParts } = route
  if (repoAt !== null) {
    const owner = percentDecode(segments[repoAt.owner] ?? '')
    input.repo = `${owner}/${percentDecode(segments[repoAt.name] ?? '')}`
  }
  for (const { index, field, takesRest } of pathParts) {
    const text = takesRest ? segments.slice(index).join('/') : (segments[index] ?? '')
    input[field.name] = parseText(field.text, percentDecode(text))
  }
  return input
}

export { foldQuery }
