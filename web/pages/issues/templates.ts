// Issue templates: Markdown with front matter, or a form in YAML. Files of a repository are written
// by strangers, so every part is bounded, and what is not understood is left out.
import { objectOf, type JsonObject } from '#lib/json-value.ts'
import { parseYaml, splitFrontMatter } from '#lib/yaml.ts'

const MAX_FIELDS = 40
const MAX_OPTIONS = 60
const MAX_LINKS = 10
const MAX_TEXT = 10_000
const MAX_LINE = 300

export type FormField =
  | { kind: 'markdown'; text: string }
  | (Question & { kind: 'input'; placeholder: string; value: string })
  | (Question & { kind: 'textarea'; placeholder: string; value: string; render: string | null })
  | (Question & { kind: 'dropdown'; options: readonly string[]; multiple: boolean })
  | (Question & { kind: 'checkboxes'; options: readonly { label: string; required: boolean }[] })

export type Question = { label: string; description: string; required: boolean }

export type IssueTemplate = {
  /** The name of its file. */
  file: string
  name: string
  about: string
  title: string
  labels: readonly string[]
  assignees: readonly string[]
  /** The text to begin with; empty for a form. */
  body: string
  fields: readonly FormField[] | null
}

export type TemplateConfig = {
  blank: boolean
  links: readonly { name: string; url: string; about: string }[]
}

const own = (fields: JsonObject, name: string): unknown =>
  Object.hasOwn(fields, name) ? fields[name] : undefined
const listOf = (value: unknown, max: number): readonly unknown[] =>
  Array.isArray(value) ? value.slice(0, max) : []
const textOf = (value: unknown, max = MAX_TEXT): string =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value).slice(0, max)
    : ''
const lineOf = (value: unknown): string => textOf(value, MAX_LINE).replace(/\s+/g, ' ').trim()
/** A list, or one text with commas. */
const namesOf = (value: unknown, max: number): string[] =>
  (Array.isArray(value) ? value.slice(0, max).map(lineOf) : lineOf(value).split(','))
    .map((name) => name.trim())
    .filter((name) => name !== '')
    .slice(0, max)

function fieldOf(value: unknown): FormField | null {
  const item = objectOf(value)
  const attributes = objectOf(own(item, 'attributes'))
  const kind = own(item, 'type')
  if (kind === 'markdown') return { kind, text: textOf(own(attributes, 'value')) }
  const question: Question = {
    label: lineOf(own(attributes, 'label')),
    description: textOf(own(attributes, 'description'), 1000),
    required: own(objectOf(own(item, 'validations')), 'required') === true,
  }
  if (question.label === '') return null
  const options = listOf(own(attributes, 'options'), MAX_OPTIONS)
  const start = {
    placeholder: lineOf(own(attributes, 'placeholder')),
    value: textOf(own(attributes, 'value')),
  }
  switch (kind) {
    case 'input':
      return { kind, ...question, ...start }
    case 'textarea': {
      const render = lineOf(own(attributes, 'render')).replace(/[^\w+-]/g, '')
      return { kind, ...question, ...start, render: render === '' ? null : render }
    }
    case 'dropdown':
      return {
        kind,
        ...question,
        options: options.map(lineOf).filter((option) => option !== ''),
        multiple: own(attributes, 'multiple') === true,
      }
    case 'checkboxes':
      return {
        kind,
        ...question,
        options: options.flatMap((option) => {
          const label = lineOf(own(objectOf(option), 'label'))
          const required = own(objectOf(option), 'required') === true
          return label === '' ? [] : [{ label, required }]
        }),
      }
    default:
      return null
  }
}

const headOf = (file: string, head: JsonObject) => ({
  file,
  name: lineOf(own(head, 'name')) || file.replace(/\.\w+$/, ''),
  about: lineOf(own(head, 'about') ?? own(head, 'description')),
  title: lineOf(own(head, 'title')),
  labels: namesOf(own(head, 'labels'), 20),
  assignees: namesOf(own(head, 'assignees'), 10).map((name) => name.replace(/^@/, '')),
})

/** Null for a file that is no template. */
export function parseTemplate(file: string, text: string): IssueTemplate | null {
  if (/\.md$/i.test(file)) {
    const { yaml, body } = splitFrontMatter(text)
    const head = objectOf(yaml === null ? null : parseYaml(yaml))
    return { ...headOf(file, head), body: body.trim().slice(0, 60_000), fields: null }
  }
  if (!/\.ya?ml$/i.test(file)) return null
  const head = objectOf(parseYaml(text))
  const fields = listOf(own(head, 'body'), MAX_FIELDS).flatMap((item) => fieldOf(item) ?? [])
  return fields.some(({ kind }) => kind !== 'markdown')
    ? { ...headOf(file, head), body: '', fields }
    : null
}

/** The settings of the chooser. Without the file, blank issues are allowed. */
export function parseConfig(text: string | null): TemplateConfig {
  const config = objectOf(text === null ? null : parseYaml(text))
  return {
    blank: own(config, 'blank_issues_enabled') !== false,
    links: listOf(own(config, 'contact_links'), MAX_LINKS).flatMap((item) => {
      const link = objectOf(item)
      const url = lineOf(own(link, 'url'))
      const name = lineOf(own(link, 'name'))
      return /^https?:\/\//i.test(url) && name !== ''
        ? [{ name, url, about: lineOf(own(link, 'about')) }]
        : []
    }),
  }
}

/** The name of the field of a question. */
export const fieldName = (index: number): string => `field-${index}`

const longestRun = (text: string): number =>
  Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length))

function answerText(field: FormField, answers: readonly string[]): string {
  if (field.kind === 'checkboxes')
    return field.options
      .map(({ label }) => `- [${answers.includes(label) ? 'x' : ' '}] ${label}`)
      .join('\n')
  const given = answers.map((answer) => answer.trim()).filter((answer) => answer !== '')
  if (given.length === 0) return '_No response_'
  if (field.kind === 'textarea' && field.render !== null) {
    const text = given.join('\n')
    const fence = '`'.repeat(longestRun(text) + 1)
    return `${fence}${field.render}\n${text}\n${fence}`
  }
  return given.join(', ')
}

/** The first required question without an answer: the name of its field and its label. */
export function findMissing(
  fields: readonly FormField[],
  answersOf: (name: string) => readonly string[],
): { field: string; label: string } | null {
  for (const [index, field] of fields.entries()) {
    if (field.kind === 'markdown') continue
    const name = fieldName(index)
    const answers = answersOf(name).filter((answer) => answer.trim() !== '')
    if (field.required && answers.length === 0) return { field: name, label: field.label }
    const missing =
      field.kind === 'checkboxes' &&
      field.options.find(({ label, required }) => required && !answers.includes(label))
    if (missing) return { field: name, label: missing.label }
  }
  return null
}

/** The answers as the body of an issue. */
export const bodyOfAnswers = (
  fields: readonly FormField[],
  answersOf: (name: string) => readonly string[],
): string =>
  fields
    .flatMap((field, index) =>
      field.kind === 'markdown'
        ? []
        : [`### ${field.label}\n\n${answerText(field, answersOf(fieldName(index)))}`],
    )
    .join('\n\n')
