// The API reference, from the description of all operations.
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
      <h3>{title}</h3>
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
  records: ReadonlySet<string>
}) => {
  const record = operation.answer.replace(/^array of /, '')
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
          has: records.has(record) ? (
            <a href={`#record-${record}`}>{operation.answer}</a>
          ) : (
            operation.answer
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

export const DocsPage = ({ docs, visit }: { docs: Docs; visit: Visit }): Html => {
  const records = new Set(docs.records.map(({ name }) => name))
  const tabs = [
    ...docs.groups.map(({ id, name, operations }) => ({
      label: name,
      href: `#${id}`,
      count: operations.length,
    })),
    { label: t('Records'), href: '#records' },
  ]
  return (
    <Shell
      visit={visit}
      title={t('API')}
      description={t('The REST interface: every operation, its inputs and its answers.')}
    >
      <PageHead title={t('API')} lead={docs.description} />
      <Columns side={<SideNav label={t('Parts of the interface')} groups={[{ tabs }]} />}>
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
            <h2>{group.name}</h2>
            <p class="muted">{group.description}</p>
            <div class="list doc-list">
              {group.operations.map((operation) => (
                <OperationPart operation={operation} records={records} />
              ))}
            </div>
          </section>
        ))}
        <section id="records" class="stack">
          <h2>{t('Records')}</h2>
          <div class="list doc-list">
            {docs.records.map((record) => (
              <RecordPart record={record} />
            ))}
          </div>
        </section>
      </Columns>
    </Shell>
  )
}
