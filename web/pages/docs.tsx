// The API reference: what can be asked, with which inputs, and what comes back. It is given the description as plain data.
import { Card } from '../components/card.tsx'
import { PageHead } from '../components/layout.tsx'
import { Chip } from '../components/state.tsx'
import { Columns, SideNav } from '../components/tabs.tsx'
import type { Html } from '../jsx/html.ts'
import type { Visit } from '../site.ts'
import { Shell } from './shell.tsx'

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
  groups: readonly { id: string; name: string; description: string; operations: readonly Operation[] }[]
  records: readonly { name: string; description: string; fields: readonly Field[] }[]
}

const Inputs = ({ inputs }: { inputs: readonly Input[] }) => (
  <div class="table-wrap" tabindex="0">
    <table>
      <thead>
        <tr>
          <th scope="col">Input</th>
          <th scope="col">In</th>
          <th scope="col">Type</th>
          <th scope="col">Meaning</th>
        </tr>
      </thead>
      <tbody>
        {inputs.map((input) => (
          <tr>
            <th scope="row">
              <code>{input.name}</code>
              {input.required && ' (required)'}
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

const OperationPart = ({ operation, records }: { operation: Operation; records: ReadonlySet<string> }) => {
  const record = operation.answer.replace(/^array of /, '')
  return (
    <Card
      id={operation.id}
      level={3}
      title={
        <code>
          {operation.method} {operation.path}
        </code>
      }
      actions={operation.preview ? <Chip>Preview</Chip> : undefined}
    >
      <div class="md">
        <p>{operation.summary}</p>
        {operation.who !== '' && <p class="muted">{operation.who}</p>}
        {operation.inputs.length > 0 && <Inputs inputs={operation.inputs} />}
        <p>
          Answers {operation.status} with {records.has(record) ? <a href={`#record-${record}`}>{operation.answer}</a> : operation.answer}.
          {operation.tool !== null && (
            <>
              {' '}
              The tool is <code>{operation.tool}</code>.
            </>
          )}
        </p>
        <pre tabindex="0">
          <code>{operation.curl}</code>
        </pre>
      </div>
    </Card>
  )
}

const RecordPart = ({ record }: { record: Docs['records'][number] }) => (
  <Card id={`record-${record.name}`} level={3} title={record.name}>
    <div class="md">
      {record.description !== '' && <p>{record.description}</p>}
      <div class="table-wrap" tabindex="0">
        <table>
          <thead>
            <tr>
              <th scope="col">Field</th>
              <th scope="col">Type</th>
              <th scope="col">Meaning</th>
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
    </div>
  </Card>
)

export const DocsPage = ({ docs, visit }: { docs: Docs; visit: Visit }): Html => {
  const records = new Set(docs.records.map(({ name }) => name))
  const tabs = [...docs.groups.map(({ id, name, operations }) => ({ label: name, href: `#${id}`, count: operations.length })), { label: 'Records', href: '#records' }]
  return (
    <Shell visit={visit} title="API" description="The REST interface: every operation, its inputs and its answers.">
      <PageHead title="API" lead={docs.description} />
      <Columns side={<SideNav label="Parts of the interface" groups={[{ tabs }]} />}>
        <div class="md">
          <p>
            The interface is at <code>{docs.base_url}</code>, its machine-readable description at <a href={`${docs.base_url}/openapi.json`}>openapi.json</a>. Send a
            token from your <a href="/settings/tokens">settings</a> as <code>Authorization: Bearer …</code>; what is public needs none. This is release {docs.release}.
          </p>
        </div>
        {docs.groups.map((group) => (
          <section id={group.id}>
            <h2>{group.name}</h2>
            <p class="muted">{group.description}</p>
            {group.operations.map((operation) => (
              <OperationPart operation={operation} records={records} />
            ))}
          </section>
        ))}
        <section id="records">
          <h2>Records</h2>
          {docs.records.map((record) => (
            <RecordPart record={record} />
          ))}
        </section>
      </Columns>
    </Shell>
  )
}
