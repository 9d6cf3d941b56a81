/** The API reference as data for a page, read from the OpenAPI document, so that both agree. */
import type { Hearth } from '#core/hearth.ts'
import type { JsonSchema } from '../shape.ts'
import { type OpenApi, type OpenApiOperation, openApiDocument } from './openapi.ts'

export type DocsInput = {
  name: string
  place: 'path' | 'query' | 'body'
  type: string
  required: boolean
  description: string
}

export type DocsOperation = {
  id: string
  method: string
  path: string
  summary: string
  /** Who may call it; empty when anyone may. */
  who: string
  inputs: DocsInput[]
  status: string
  /** What a success answers, in words: `array of Issue`, `nothing`. */
  answer: string
  tool: string | null
  preview: boolean
  curl: string
}

export type DocsRecord = {
  name: string
  description: string
  fields: { name: string; type: string; description: string }[]
}

export type Docs = {
  base_url: string
  release: string
  description: string
  groups: { id: string; name: string; description: string; operations: DocsOperation[] }[]
  records: DocsRecord[]
}

const nameOf = (ref: string): string => ref.slice(ref.lastIndexOf('/') + 1)

/** A type as text. */
function typeOf(schema: JsonSchema | undefined): string {
  if (!schema) return 'anything'
  if (typeof schema.$ref === 'string') return nameOf(schema.$ref)
  if (Array.isArray(schema.enum))
    return schema.enum.map((word) => (word === null ? 'null' : String(word))).join(', ')
  if (schema.anyOf) return [...new Set(schema.anyOf.map(typeOf))].join(' or ')
  if (schema.type === 'array') return `array of ${typeOf(schema.items)}`
  if (Array.isArray(schema.type))
    return schema.type
      .map((type) => (type === 'array' ? `array of ${typeOf(schema.items)}` : type))
      .join(' or ')
  if (typeof schema.type === 'string')
    return schema.format === 'date-time' ? 'timestamp' : schema.type
  return 'anything'
}

function inputsOf(
  operation: OpenApiOperation,
  parameters: OpenApi['components']['parameters'],
): DocsInput[] {
  const inputs: DocsInput[] = []
  for (const given of operation.parameters ?? []) {
    const parameter =
      '$ref' in given
        ? (parameters[nameOf(given.$ref)] as {
            name: string
            in: string
            required: boolean
            description?: string
            schema: JsonSchema
          })
        : given
    if (parameter.in !== 'path' && parameter.in !== 'query') continue
    inputs.push({
      name: parameter.name,
      place: parameter.in,
      type: typeOf(parameter.schema),
      required: parameter.required,
      description: parameter.description ?? '',
    })
  }
  const body = operation.requestBody?.content['application/json']?.schema
  for (const [name, schema] of Object.entries(body?.properties ?? {})) {
    inputs.push({
      name,
      place: 'body',
      type: typeOf(schema),
      required: body?.required?.includes(name) ?? false,
      description: schema.description ?? '',
    })
  }
  return inputs
}

/** A value that is clearly an example. */
function example(input: DocsInput, schema: JsonSchema | undefined): unknown {
  const [first] = Array.isArray(schema?.examples) ? schema.examples : []
  if (first !== undefined) return first
  if (Array.isArray(schema?.enum)) return schema.enum[0]
  if (input.type.startsWith('integer')) return 1
  if (input.type.startsWith('boolean')) return true
  if (input.type.startsWith('array')) return []
  return input.type.startsWith('string') ? '…' : {}
}

const PLACEHOLDERS: Readonly<Record<string, string>> = {
  owner: 'acme',
  name: 'site',
  workspace: 'acme',
  number: '1',
  path: 'README.md',
  branch: 'main',
  ref: 'main',
  username: 'ada',
}

/** A command line. */
function curlOf(
  base: string,
  method: string,
  path: string,
  inputs: readonly DocsInput[],
  operation: OpenApiOperation,
): string {
  const address =
    base + path.replace(/\{(\w+)\}/g, (_, name: string) => PLACEHOLDERS[name] ?? name.toUpperCase())
  const query = inputs
    .filter(({ place, required }) => place === 'query' && required)
    .map(({ name }) => `${name}=…`)
    .join('&')
  const words = [
    'curl',
    ...(method === 'GET' ? [] : ['-X', method]),
    '-H "Authorization: Bearer $TOKEN"',
  ]
  const schema = operation.requestBody?.content['application/json']?.schema
  const body = inputs.filter(({ place, required }) => place === 'body' && required)
  if (schema && method !== 'GET') {
    const value = Object.fromEntries(
      body.map((input) => [input.name, example(input, schema.properties?.[input.name])]),
    )
    words.push(
      '-H "Content-Type: application/json"',
      `-d '${JSON.stringify(value).replaceAll("'", "'\\''")}'`,
    )
  }
  if (operation.requestBody?.content['application/octet-stream']) words.push('--data-binary @FILE')
  return [...words, `"${address}${query === '' ? '' : `?${query}`}"`].join(' ')
}

function answerOf(operation: OpenApiOperation): { status: string; answer: string } {
  const status =
    Object.keys(operation.responses).find((code) => /^[23]/.test(code) && code !== '304') ?? '200'
  const response = operation.responses[status] as {
    content?: Record<string, { schema: JsonSchema }>
  }
  const schema = response.content?.['application/json']?.schema
  return { status, answer: status === '302' ? 'a redirect' : schema ? typeOf(schema) : 'nothing' }
}

export async function docsData(hearth: Hearth): Promise<Docs> {
  const document = await openApiDocument(hearth)
  const base = hearth.settings.base_url
  const all = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      path,
      method: method.toUpperCase(),
      operation,
    })),
  )
  return {
    base_url: base,
    release: hearth.settings.version,
    description: String(document.info.description),
    groups: document.tags.map(({ name, description }) => ({
      id: name.toLowerCase().replaceAll(' ', '-'),
      name,
      description,
      operations: all
        .filter(({ operation }) => operation.tags.includes(name))
        .map(({ path, method, operation }) => {
          const inputs = inputsOf(operation, document.components.parameters)
          return {
            id: operation.operationId,
            method,
            path,
            summary: operation.summary,
            who: operation.description ?? '',
            inputs,
            ...answerOf(operation),
            tool: typeof operation['x-tool'] === 'string' ? operation['x-tool'] : null,
            preview: operation['x-preview'] === true,
            curl: curlOf(base, method, path, inputs, operation),
          }
        }),
    })),
    records: Object.entries(document.components.schemas)
      .filter(([, schema]) => schema.properties)
      .map(([name, schema]) => ({
        name,
        description: schema.description ?? '',
        fields: Object.entries(schema.properties ?? {}).map(([field, inner]) => ({
          name: field,
          type: typeOf(inner),
          description: inner.description ?? '',
        })),
      })),
  }
}
