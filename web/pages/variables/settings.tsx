import {
  deleteSecret,
  deleteVariable,
  listSecrets,
  listVariables,
  setSecret,
  setVariable,
} from '#features/variables/index.ts'
import {
  ActionButton,
  Button,
  Card,
  Chip,
  EmptyState,
  List,
  PageHead,
  RelativeTime,
  Row,
} from '../../components/index.ts'
import type { Html } from '../../jsx/html.ts'
import {
  action,
  page,
  redirectWithFlash,
  type Form as SiteForm,
  type Page,
  type Visit,
} from '../../site.ts'
import { refusedRow, SettingForm, settingInput, type Kind, type SettingRow } from './fields.tsx'
import {
  BASE,
  herePath,
  loadOwner,
  PAGE_NAMES,
  targetOf,
  variablesPath,
  type OwnerKind,
  type VariablesOwner,
} from './owner.tsx'
import { onSamePage, pageOfRows, RowForm, RowSteps, type ListPage } from '../row-form.tsx'
import { localized, rich, t } from '../../text.ts'

const MAX_SHOWN_VALUE_CHARS = 120

/** The first line of a value; a long one is cut. */
function excerptOf(value: string): string {
  const line = value.split('\n', 1)[0] ?? ''
  const isCut = line.length > MAX_SHOWN_VALUE_CHARS || line.length < value.length
  return isCut ? `${line.slice(0, MAX_SHOWN_VALUE_CHARS)}…` : line
}

type ItemProps = {
  readonly visit: Visit
  readonly owner: VariablesOwner
  readonly kind: Kind
  readonly row: SettingRow
}

const EditSetting = ({ visit, owner, kind, row }: ItemProps) => (
  <>
    <SettingForm visit={visit} owner={owner} kind={kind} row={row} />
    <ActionButton
      action={herePath(owner.kind, visit, kind === 'secret' ? '/secret/delete' : '/delete')}
      csrf={visit.csrf}
      values={{ setting: row.name, id: row.id }}
    >
      <Button variant="danger" icon="trash">
        {kind === 'secret' ? t('Delete secret') : t('Delete variable')}
      </Button>
    </ActionButton>
  </>
)

const SettingItem = ({ visit, owner, kind, row }: ItemProps) => (
  <Row
    title={
      <>
        <code>{row.name}</code>
        {row.environments.map((name) => (
          <Chip>{name}</Chip>
        ))}
        {row.projects.map((slug) => (
          <Chip icon="repo">{slug}</Chip>
        ))}
      </>
    }
    meta={
      <>
        {row.value !== null && row.value !== '' && (
          <span>
            <code>{excerptOf(row.value)}</code>
          </span>
        )}
        {row.note !== null && <span>{row.note}</span>}
        <span>
          {row.updated_by ? `${row.updated_by.username}, ` : ''}
          <RelativeTime at={row.updated_at} />
        </span>
      </>
    }
  >
    {owner.isEditable && (
      <RowForm
        visit={visit}
        id={row.id}
        refused={refusedRow(visit, kind)}
        here={herePath(owner.kind, visit)}
        label={rich('Edit {name}', { name: row.name })}
      >
        {() => <EditSetting visit={visit} owner={owner} kind={kind} row={row} />}
      </RowForm>
    )}
  </Row>
)

const PER_PAGE = 30

type Shown = {
  readonly owner: VariablesOwner
  readonly variables: ListPage<SettingRow>
  readonly secrets: ListPage<SettingRow>
}

const WORDS = localized({
  secret: {
    title: 'Secrets',
    lead: 'Stored encrypted and never shown again. They are masked in logs, and pull requests from outside do not get them.',
    empty: 'No secrets yet',
    hint: 'Add a password or key that jobs need, such as the token of a deployment.',
    add: 'New secret',
  },
  variable: {
    title: 'Variables',
    lead: 'Values that everyone with Write may read.',
    empty: 'No variables yet',
    hint: 'Add a value that several workflows share, such as the name of a region.',
    add: 'New variable',
  },
} as const)

const Section = ({
  visit,
  owner,
  kind,
  rows,
}: {
  visit: Visit
  owner: VariablesOwner
  kind: Kind
  rows: ListPage<SettingRow>
}) => {
  const words = WORDS[kind]
  const other = kind === 'secret' ? 'variable' : 'secret'
  return (
    <>
      <PageHead level={2} title={words.title} lead={words.lead} />
      {rows.items.length === 0 ? (
        <EmptyState icon="key" title={words.empty}>
          {words.hint}
        </EmptyState>
      ) : (
        <List label={words.title}>
          {rows.items.map((row) => (
            <SettingItem visit={visit} owner={owner} kind={kind} row={row} />
          ))}
        </List>
      )}
      <RowSteps
        list={rows}
        here={onSamePage(visit, variablesPath(owner.kind, visit), PAGE_NAMES[other])}
        name={PAGE_NAMES[kind]}
        label={kind === 'secret' ? t('Pages of secrets') : t('Pages of variables')}
      />
      {owner.isEditable && (
        <Card title={words.add}>
          <SettingForm visit={visit} owner={owner} kind={kind} row={null} />
        </Card>
      )}
    </>
  )
}

const VariablesView = ({ visit, owner, variables, secrets }: Shown & { visit: Visit }): Html =>
  owner.frame(
    t('Variables and secrets'),
    <>
      <PageHead
        title={t('Variables and secrets')}
        lead={
          owner.kind === 'repository'
            ? t('For jobs of workflows in this repository. They override those of the workspace.')
            : t('For jobs of workflows in every repository of {name}.', { name: owner.name })
        }
      />
      <Section visit={visit} owner={owner} kind="secret" rows={secrets} />
      <Section visit={visit} owner={owner} kind="variable" rows={variables} />
    </>,
  )

/** All rows by name; the rows of one name stay in their order. */
async function listAll(
  list: (page: number) => Promise<{ items: SettingRow[]; next: string | null }>,
): Promise<SettingRow[]> {
  const rows: SettingRow[] = []
  for (let next: string | null = '1'; next !== null; ) {
    const found = await list(Number(next))
    rows.push(...found.items)
    next = found.next
  }
  return rows.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))
}

async function load(kind: OwnerKind, visit: Visit): Promise<Shown | null> {
  const owner = await loadOwner(kind, visit)
  if (owner === null) return null
  const target = targetOf(kind, visit)
  const variables = await listAll((n) =>
    visit.call(listVariables, { ...target, page: n, per_page: 100 }),
  )
  const secrets = await listAll((n) =>
    visit.call(listSecrets, { ...target, page: n, per_page: 100 }),
  )
  return {
    owner,
    variables: pageOfRows(visit, variables, PER_PAGE, PAGE_NAMES.variable),
    secrets: pageOfRows(visit, secrets, PER_PAGE, PAGE_NAMES.secret),
  }
}

export function settingsPages(kind: OwnerKind): { page: Page; forms: readonly SiteForm[] } {
  const variablesPage = page({
    path: BASE[kind],
    load: (visit) => load(kind, visit),
    view: (shown, visit) => <VariablesView visit={visit} {...shown} />,
  })
  const here = (visit: Visit): string => herePath(kind, visit)
  const forms = [
    action({
      path: BASE[kind],
      page: variablesPage,
      submit: async (visit, fields) => {
        await visit.call(setVariable, {
          ...targetOf(kind, visit),
          ...settingInput(fields, 'variable', kind),
        })
        return redirectWithFlash(visit, here(visit), 'variable-saved')
      },
    }),
    action({
      path: `${BASE[kind]}/secret`,
      page: variablesPage,
      submit: async (visit, fields) => {
        await visit.call(setSecret, {
          ...targetOf(kind, visit),
          ...settingInput(fields, 'secret', kind),
        })
        return redirectWithFlash(visit, here(visit), 'secret-saved')
      },
    }),
    ...(['variable', 'secret'] as const).map((what) =>
      action({
        path: `${BASE[kind]}${what === 'secret' ? '/secret' : ''}/delete`,
        page: variablesPage,
        submit: async (visit, fields) => {
          await visit.call(what === 'secret' ? deleteSecret : deleteVariable, {
            ...targetOf(kind, visit),
            setting: fields.text('setting'),
            id: fields.optional('id'),
          })
          return redirectWithFlash(visit, here(visit), `${what}-deleted`)
        },
      }),
    ),
  ]
  return { page: variablesPage, forms }
}
