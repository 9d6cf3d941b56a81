// The profile of a user who has no workspace of the same name.
import type { PublicUser } from '#features/accounts/schema.ts'
import type { Repo } from '#features/repos/index.ts'
import {
  Avatar,
  EmptyState,
  Facts,
  LinkButton,
  List,
  Pager,
  RepoRow,
} from '../../components/index.ts'
import { RelativeTime } from '../../components/time.tsx'
import { userPath, withQuery } from '../../paths.ts'
import type { Visit } from '../../site.ts'
import { Shell } from '../shell.tsx'
import { ContributionYear, type Contributions } from './contributions.tsx'
import { rich, t } from '../../text.ts'

type Data = {
  contributions: Contributions | null
  person: PublicUser
  made: { items: readonly Repo[]; next: string | null }
  number: number
}

/** Only http and https addresses become links. */
const webAddress = (text: string): boolean => /^https?:\/\//i.test(text)

const PersonHead = ({ visit, person }: { visit: Visit; person: PublicUser }) => (
  <div class="page-head">
    <div class="person-head">
      <Avatar of={person} size={56} />
      <div>
        <h1>{person.name ?? person.username}</h1>
        <p class="muted">
          @{person.username}
          {person.pronouns && ` · ${person.pronouns}`}
        </p>
      </div>
    </div>
    {visit.viewer?.id === person.id && (
      <div class="actions">
        <LinkButton href="/settings/profile" icon="edit">
          {t('Edit your profile')}
        </LinkButton>
      </div>
    )}
  </div>
)

export const PersonView = ({ data, visit }: { data: Data; visit: Visit }) => {
  const { person, made, number, contributions } = data
  const here = userPath(person.username)
  const facts = [
    ...(person.company ? [{ label: t('Company'), value: person.company }] : []),
    ...(person.location ? [{ label: t('Location'), value: person.location }] : []),
    ...(person.website
      ? [
          {
            label: t('Website'),
            value: webAddress(person.website) ? (
              <a href={person.website} rel="nofollow noopener me">
                {person.website}
              </a>
            ) : (
              person.website
            ),
          },
        ]
      : []),
    ...(person.email
      ? [{ label: t('Email'), value: <a href={`mailto:${person.email}`}>{person.email}</a> }]
      : []),
    { label: t('Joined'), value: <RelativeTime at={person.created_at} /> },
  ]
  return (
    <Shell
      visit={visit}
      title={person.name ?? person.username}
      description={person.bio ?? undefined}
    >
      <PersonHead visit={visit} person={person} />
      {person.bio && <p class="pre-line">{person.bio}</p>}
      <Facts facts={facts} />
      {contributions !== null && contributions.total > 0 && (
        <ContributionYear contributions={contributions} />
      )}
      {made.items.length === 0 ? (
        <EmptyState icon="repo" title={t('No repositories to see')}>
          {rich('Those that {username} made and you may see are listed here.', {
            username: person.username,
          })}
        </EmptyState>
      ) : (
        <List label={t('Repositories')} head={<h2>{t('Repositories')}</h2>}>
          {made.items.map((repo) => (
            <RepoRow repo={repo} />
          ))}
        </List>
      )}
      <Pager
        newer={number > 1 ? withQuery(here, { page: number - 1 }) : null}
        older={made.next === null ? null : withQuery(here, { page: number + 1 })}
      />
    </Shell>
  )
}
