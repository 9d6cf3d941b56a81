// Memories with the forms that change them.
import type { Memory, MemoryKind } from '#features/memory/index.ts'
import type { Repo } from '#features/repos/index.ts'
import {
  ActionButton,
  ActorLink,
  Badge,
  Button,
  Chip,
  Field,
  Form,
  FormActions,
  List,
  RelativeTime,
  Row,
  Select,
  TextArea,
  WrittenText,
  type IconName,
} from '../../components/index.ts'
import { codePath, pullPath, repoPath, withQuery } from '../../paths.ts'
import type { Visit } from '../../site.ts'
import { rich, t, tn } from '../../text.ts'
import { RowForm, RowText } from '../row-form.tsx'
import { fieldError, formError } from '../shell.tsx'
import { KIND_LABELS, kindOptions } from './kinds.ts'

const KIND_ICONS: Readonly<Record<MemoryKind, IconName>> = {
  fact: 'info',
  convention: 'check-circle',
  decision: 'milestone',
  gotcha: 'warning',
}

type MemoryProps = {
  visit: Visit
  repo: Repo
  memory: Memory
  /** The pull request on whose page it is shown, to which forms return. */
  pull?: number | undefined
}

const memoryPath = (repo: Repo, part: string): string => repoPath(repo.full_name, `/memory/${part}`)

/** What a reader may do with a memory. The operations decide it again. */
const mayChange = ({ visit, repo, memory }: MemoryProps): boolean =>
  visit.viewer !== null &&
  !repo.archived &&
  (memory.scope === 'workspace' || repo.permissions.write)

const returnTo = (pull: number | undefined): Record<string, string> =>
  pull === undefined ? {} : { pull: String(pull) }

/** One form, whose buttons say where it is sent. */
const MemoryActions = ({ visit, repo, memory, pull }: MemoryProps) => {
  const isUndecided = memory.waiting || (pull !== undefined && !memory.reviewed)
  return (
    <ActionButton
      class="actions"
      action={memoryPath(repo, isUndecided ? 'keep' : 'pin')}
      csrf={visit.csrf}
      values={{ id: memory.id, ...returnTo(pull), pinned: memory.pinned ? 'false' : 'true' }}
    >
      {isUndecided && (
        <Button small icon="check" variant="primary">
          {t('Keep')}
        </Button>
      )}
      <Button small icon="star" formaction={memoryPath(repo, 'pin')}>
        {memory.pinned ? t('Unpin') : t('Pin')}
      </Button>
      <Button small icon="trash" variant="danger" formaction={memoryPath(repo, 'forget')}>
        {t('Forget')}
      </Button>
    </ActionButton>
  )
}

const EditForm = ({ visit, repo, memory, pull }: MemoryProps) => {
  const { values, error } = visit.form
  const typed = error !== null && values.text('id') === memory.id && values.has('text')
  // A refused form is shown on the page of memories, and still returns to its pull request.
  const pullToReturn = returnTo(pull).pull ?? (typed ? values.optional('pull') : undefined)
  const id = (name: string) => `${memory.id}-${name}`
  return (
    <Form
      action={memoryPath(repo, 'edit')}
      csrf={visit.csrf}
      error={typed ? formError(visit, 'text', 'paths') : null}
      label={t('Edit memory: {text}', { text: memory.text.slice(0, 60) })}
    >
      <input type="hidden" name="id" value={memory.id} />
      {pullToReturn !== undefined && <input type="hidden" name="pull" value={pullToReturn} />}
      <TextArea
        id={id('text')}
        name="text"
        label={t('Text')}
        required
        rows={4}
        maxlength={2000}
        value={typed ? values.text('text') : memory.text}
        error={typed ? fieldError(visit, 'text') : null}
      />
      <Select
        id={id('kind')}
        name="kind"
        label={t('Kind')}
        required
        value={typed ? values.text('kind') : memory.kind}
        options={kindOptions()}
      />
      {memory.scope === 'project' && (
        <Field
          id={id('paths')}
          name="paths"
          label={t('Files')}
          mono
          autocomplete="off"
          value={typed ? values.text('paths') : memory.paths.map(({ path }) => path).join(', ')}
          error={typed ? fieldError(visit, 'paths') : null}
        />
      )}
      <FormActions>
        <Button variant="primary">{t('Save')}</Button>
      </FormActions>
    </Form>
  )
}

/** A cited file. One that has changed since makes the memory doubtful. */
const CitedFile = ({ repo, cited }: { repo: Repo; cited: Memory['paths'][number] }) => {
  const { path, state } = cited
  if (state === 'gone')
    return (
      <span>
        <Chip icon="file" tone="bad">
          {rich('{path} is gone', { path: <code>{path}</code> })}
        </Chip>
      </span>
    )
  return (
    <span>
      <a href={codePath(repo.full_name, 'blob', repo.default_branch, path)}>
        <code>{path}</code>
      </a>
      {state === 'changed' && (
        <>
          {' '}
          <Chip tone="wait">{t('changed since')}</Chip>
        </>
      )}
    </span>
  )
}

const MemoryMeta = ({ visit, repo, memory }: MemoryProps) => (
  <>
    <span>
      <ActorLink of={memory.author} face={false} />
    </span>
    <span>
      <RelativeTime at={memory.created_at} now={visit.hearth.clock.now()} />
    </span>
    {memory.pull !== null && (
      <span>
        <a href={pullPath(repo.full_name, memory.pull)}>#{memory.pull}</a>
      </span>
    )}
    {memory.uses > 0 && <span>{tn('Used {count} time', 'Used {count} times', memory.uses)}</span>}
    {memory.paths.map((cited) => (
      <CitedFile repo={repo} cited={cited} />
    ))}
  </>
)

/** The id of the memory whose form was refused. */
const refusedOf = ({ form }: Visit): string | null =>
  form.error === null ? null : form.values.text('id')

/** The address of the page that has the list, without a form. */
function listAddress({ url, form }: Visit, repo: Repo): string {
  // A refused form has an address of its own, and is shown on the page of memories.
  if (form.error !== null) return repoPath(repo.full_name, '/memory')
  const { edit: _, whole: __, ...query } = Object.fromEntries(url.searchParams)
  return withQuery(url.pathname, query)
}

/** What a list shows of a text, unless the address asks for the whole. */
const MAX_TEXT_BYTES = 900

/** The form of a memory has its id. */
const rowId = (id: string): string => `${id}-row`

const MemoryText = ({ visit, repo, memory: { id, text } }: MemoryProps) => (
  <WrittenText>
    <RowText
      visit={visit}
      id={id}
      here={listAddress(visit, repo)}
      anchor={rowId(id)}
      text={text}
      maxBytes={MAX_TEXT_BYTES}
    />
  </WrittenText>
)

const MemoryRow = (props: MemoryProps) => {
  const { visit, memory } = props
  return (
    <Row
      id={rowId(memory.id)}
      title={<MemoryText {...props} />}
      meta={<MemoryMeta {...props} />}
      end={
        <>
          {memory.pinned && <Chip icon="star">{t('Pinned')}</Chip>}{' '}
          <Badge icon={KIND_ICONS[memory.kind]}>{KIND_LABELS[memory.kind]}</Badge>
        </>
      }
    >
      {mayChange(props) && (
        <>
          <MemoryActions {...props} />
          <RowForm
            visit={visit}
            id={memory.id}
            refused={refusedOf(visit)}
            here={listAddress(visit, props.repo)}
            label={t('Edit')}
          >
            {() => <EditForm {...props} />}
          </RowForm>
        </>
      )}
    </Row>
  )
}

export const MemoryList = ({
  visit,
  repo,
  memories,
  label,
  pull,
}: {
  visit: Visit
  repo: Repo
  memories: readonly Memory[]
  label: string
  pull?: number
}) => (
  <List label={label} head={<h2>{label}</h2>}>
    {memories.map((memory) => (
      <MemoryRow visit={visit} repo={repo} memory={memory} pull={pull} />
    ))}
  </List>
)
