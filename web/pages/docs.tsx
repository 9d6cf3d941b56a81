// The API reference, from the description of all operations: one page with their names, and one for
// each part, because all of them together are 0.6 MB of HTML.
import { Icon } from '../components/icon.tsx'
import { PageHead } from '../components/layout.tsx'
import { Chip } from '../components/state.tsx'
import { Columns, SideNav } from '../components/tabs.tsx'
import type { Child, Html } from '../jsx/html.ts'
import type { Visit } from '../site.ts'
import { Shell } from './shell.tsx'
import { rich, t } from '../text.ts'

type Field = { name: string; type: string; description: string }
type Input = Field & { place: string; required: boolean }

type Operation = {
  id: string
  method: string
  path: string
  summary: string
  who: string
  inputs: readonly Input[]
  status: string
  answer: string
  tool: string | null
  preview: boolean
  curl: string
}

export type Docs = {
  base_url: string
  release: string
  description: string
  groups: readonly {
    id: string
    name: string
    description: string
    operations: readonly Operation[]
  }[]
  records: readonly { name: string; description: string; fields: readonly Field[] }[]
}

/** The parts of the reference beside each other: a page for each group, and one for the records. */
const partPath = (id: string): string => `/docs/reference/${id}`

/** The records of a part have about as many fields and names together: about 80 KB of HTML. */
const FIELDS_PER_PART = 450

type RecordsPart = {
  readonly id: string
  readonly title: string
  readonly records: Docs['records']
}

/** Consecutive records, of which no part has more fields than it should, unless one record has. */
function partsOfRecords(all: Docs['records']): Docs['records'][] {
  const parts: Docs['records'][number][][] = []
  let size = Number.POSITIVE_INFINITY
  for (const record of all) {
    const weight = record.fields.length + 1
    if (size + weight > FIELDS_PER_PART) {
      parts.push([])
      size = 0
    }
    parts.at(-1)?.push(record)
    size += weight
  }
  return parts
}

/** The records in order of their names, in parts that are called by their first letters. */
const recordParts = (docs: Docs): RecordsPart[] => {
  const all = docs.records.toSorted((a, b) => (a.name < b.name ? -1 : 1))
  return partsOfRecords(all).map((records, index) => {
    const [first, last] = [records[0]?.name[0] ?? '', records.at(-1)?.name[0] ?? '']
    return {
      id: `records-${index + 1}`,
      title: t('Records {first} to {last}', { first, last }),
      records,
    }
  })
}

const Inputs = ({ inputs }: { inputs: readonly Input[] }) => (
  <div class="table-wrap" tabindex="0">
    <table>
      <thead>
        <tr>
          <th scope="col">{t('Input')}</th>
          <th scope="col">{t('In')}</th>
          <th scope="col">{t('Type')}</th>
          <th scope="col">{t('Meaning')}</th>
        </tr>
      </thead>
      <tbody>
        {inputs.map((input) => (
          <tr>
            <th scope="row">
              <code>{input.name}</code>
              {input.required && ` ${t('(required)')}`}
            </th>
            <td>{input.place}</td>
            <td>{input.type}</td>
            <td>{input.description}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)

/** Collapsed. Browsers open it for an address that names it, and for text that they find inside. */
const Fold = ({
  id,
  title,
  line,
  chip,
  children,
}: {
  id: string
  title: Child
  line?: string
  chip?: Child
  children?: Child
}) => (
  <details class="doc-fold">
    <summary>
      <Icon name="chevron-right" />
      <h2>{title}</h2>
      {line !== undefined && line !== '' && <span class="muted">{line}</span>}
      {chip}
    </summary>
    <div class="md" id={id}>
      {children}
    </div>
  </details>
)

const OperationPart = ({
  operation,
  records,
}: {
  operation: Operation
  /** The address of each record. */
  records: ReadonlyMap<string, string>
}) => {
  const recordHref = records.get(operation.answer.replace(/^array of /, ''))
  return (
    <Fold
      id={operation.id}
      line={operation.summary}
      chip={operation.preview && <Chip>{t('Preview')}</Chip>}
      title={
        <code>
          {operation.method} {operation.path}
        </code>
      }
    >
      {operation.who !== '' && <p>{operation.who}</p>}
      {operation.inputs.length > 0 && <Inputs inputs={operation.inputs} />}
      <p>
        {rich('Answers {status} with {has}.{tool}', {
          status: operation.status,
          has:
            recordHref === undefined ? (
              operation.answer
            ) : (
              <a href={recordHref}>{operation.answer}</a>
            ),
          tool: operation.tool !== null && (
            <> {rich('The tool is {tool}.', { tool: <code>{operation.tool}</code> })}</>
          ),
        })}
      </p>
      <pre tabindex="0" role="group" aria-label={t('Example')}>
        <code>{operation.curl}</code>
      </pre>
    </Fold>
  )
}

const RecordPart = ({ record }: { record: Docs['records'][number] }) => (
  <Fold id={`record-${record.name}`} title={record.name} line={record.description}>
    <div class="table-wrap" tabindex="0">
      <table>
        <thead>
          <tr>
            <th scope="col">{t('Field')}</th>
            <th scope="col">{t('Type')}</th>
            <th scope="col">{t('Meaning')}</th>
          </tr>
        </thead>
        <tbody>
          {record.fields.map((field) => (
            <tr>
              <th scope="row">
                <code>{field.name}</code>
              </th>
              <td>{field.type}</td>
              <td>{field.description}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  </Fold>
)

const Frame = ({
  docs,
  visit,
  title,
  lead,
  part,
  children,
}: {
  docs: Docs
  visit: Visit
  title: string
  lead: string
  part: string | null
  children?: Child
}): Html => (
  <Shell
    visit={visit}
    title={part === null ? title : t('{title}: API', { title })}
    description={t('The REST interface: every operation, its inputs and its answers.')}
  >
    <PageHead title={title} lead={lead} />
    <Columns
      side={
        <SideNav
          label={t('Parts of the interface')}
          groups={[
            {
              tabs: [
                { label: t('All operations'), href: '/docs', current: part === null },
                ...docs.groups.map(({ id, name, operations }) => ({
                  label: name,
                  href: partPath(id),
                  count: operations.length,
                  current: part === id,
                })),
                ...recordParts(docs).map(({ id, title }) => ({
                  label: title,
                  href: partPath(id),
                  current: part === id,
                })),
              ],
            },
          ]}
        />
      }
    >
      {children}
    </Columns>
  </Shell>
)

/** All operations by name, each with a link to its part. */
export const DocsPage = ({ docs, visit }: { docs: Docs; visit: Visit }): Html => (
  <Frame docs={docs} visit={visit} title={t('API')} lead={docs.description} part={null}>
    <div class="md">
      <p>
        {rich(
          'The interface is at {base_url}, its machine-readable description at <a>openapi.json</a>. Send a token from your <a2>settings</a2> as {code}; what is public needs none. This is release {release}. The <a3>guide</a3> says how to run and use Hearth.',
          {
            base_url: <code>{docs.base_url}</code>,
            a: (inner) => <a href={`${docs.base_url}/openapi.json`}>{inner}</a>,
            a2: (inner) => <a href="/settings/tokens">{inner}</a>,
            code: <code>Authorization: Bearer …</code>,
            release: docs.release,
            a3: (inner) => <a href="/docs/install">{inner}</a>,
          },
        )}
      </p>
    </div>
    {docs.groups.map((group) => (
      <section id={group.id} class="stack">
        <h2>
          <a href={partPath(group.id)}>{group.name}</a>
        </h2>
        <p class="muted">{group.description}</p>
        <ul class="list doc-list doc-names">
          {group.operations.map(({ id, method, path }) => (
            <li>
              <a id={id} href={`${partPath(group.id)}#${id}`}>
                {method} {path}
              </a>
            </li>
          ))}
        </ul>
      </section>
    ))}
  </Frame>
)

/** One part: the operations of a group, or the records. Null for a part that is not there. */
export const DocsPartPage = ({
  docs,
  visit,
  part,
}: {
  docs: Docs
  visit: Visit
  part: string
}): Html | null => {
  const parts = recordParts(docs)
  const shown = parts.find(({ id }) => id === part)
  if (shown)
    return (
      <Frame
        docs={docs}
        visit={visit}
        title={shown.title}
        lead={t('What operations answer with.')}
        part={part}
      >
        <div class="list doc-list">
          {shown.records.map((record) => (
            <RecordPart record={record} />
          ))}
        </div>
      </Frame>
    )
  const group = docs.groups.find(({ id }) => id === part)
  const hrefs = new Map(
    parts.flatMap(({ id, records }) =>
      records.map(({ name }) => [name, `${partPath(id)}#record-${name}`] as const),
    ),
  )
  return group === undefined ? null : (
    <Frame docs={docs} visit={visit} title={group.name} lead={group.description} part={part}>
      <div class="list doc-list">
        {group.operations.map((operation) => (
          <OperationPart operation={operation} records={hrefs} />
        ))}
      </div>
    </Frame>
  )
}
