import { Anchor, Badge, Group, Select } from '@mantine/core'
import { IconExternalLink } from '@tabler/icons-react'
import { useNavigate } from '@tanstack/react-router'
import { CopyButton } from '../../components/copy-button.tsx'
import { TextLink } from '../../components/links.tsx'
import { isOpenable } from '../../components/openable.ts'
import { PageHeader } from '../../components/page-header.tsx'
import { Principal } from '../../components/principal.tsx'
import { RelativeTime } from '../../components/relative-time.tsx'
import { StateBadge } from '../../components/state-badge.tsx'
import { useWorkspace } from '../../service/session.ts'
import { may } from '../../service/types.ts'
import { documentTexts } from '../../texts/documents.ts'
import type { Terms } from '../../texts/nouns.ts'
import { shellTexts } from '../../texts/shell.ts'
import { spaceWords } from '../lab/value-words.ts'
import classes from './document.module.css'
import type { DocumentOverview, WorkflowDocument } from './types.ts'

const texts = documentTexts.header

const badges = { searchable: 'ok', outdated: 'warning', waiting: 'pending', skipped: 'skipped' }

type Props = { document: DocumentOverview; workflow: WorkflowDocument; terms: Terms }

/** Title, version and labels; a selector where several workflows write it. */
export function DocumentHeader({ document, workflow, terms }: Props) {
  const { title, url, record_id: recordId } = document
  return (
    <>
      <Trail document={document} workflow={workflow} />
      <PageHeader
        title={title || recordId}
        aside={<StateBadge state={badges[workflow.state]} label={texts.states[workflow.state]} />}
        description={<Facts document={document} workflow={workflow} />}
        actions={
          <>
            {isOpenable(url) ? (
              <Anchor href={url} target="_blank" rel="noopener noreferrer">
                <Group component="span" gap={4} wrap="nowrap">
                  <IconExternalLink size={16} aria-hidden="true" />
                  {texts.openIn(terms.system)}
                </Group>
              </Anchor>
            ) : null}
            <WorkflowSelect document={document} workflow={workflow} />
          </>
        }
      />
    </>
  )
}

/** The search, the space and the documents above. */
function Trail({ document, workflow }: Omit<Props, 'terms'>) {
  const { id: workspaceId, role } = useWorkspace()
  const { space_key: key, space_name: name, ancestors } = document
  const places = [...(key ? [spaceWords(key, name)] : []), ...ancestors.map(({ title }) => title)]
  return (
    <nav aria-label={texts.trail}>
      <ol className={classes.trail}>
        <li>
          <TextLink
            size="sm"
            to="/w/$workspaceId/search"
            params={{ workspaceId }}
            search={{ destination: workflow.destination_id ?? undefined }}
          >
            {may(role, 'administrator') ? shellTexts.sections.lab : shellTexts.sections.search}
          </TextLink>
        </li>
        {places.map((place, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: places can have one name.
          <li key={index}>{place}</li>
        ))}
      </ol>
    </nav>
  )
}

function Facts({ document, workflow }: Omit<Props, 'terms'>) {
  const { labels, author, modified_at: modifiedAt, record_id: recordId } = document
  const version = workflow.indexed_version ?? document.version
  return (
    <span className={classes.facts}>
      {version ? <span className="figures">{texts.version(version)}</span> : null}
      <span className="figures">{texts.elements(workflow.elements)}</span>
      {labels.length > 0 ? (
        <span className={classes.labels}>
          {labels.map((label) => (
            <Badge key={label} component="span" variant="default" tt="none" fw={500} radius="sm">
              {label}
            </Badge>
          ))}
        </span>
      ) : null}
      <Group component="span" gap={4} wrap="nowrap">
        <span className="mono">{recordId}</span>
        <CopyButton text={recordId} what={texts.record} />
      </Group>
      {modifiedAt || author ? (
        <span className={classes.changed}>
          {texts.modified} {modifiedAt ? <RelativeTime at={modifiedAt} /> : null}{' '}
          {author ? (
            <>
              {texts.author}{' '}
              <Principal token={`user:${author}`} destinationId={workflow.destination_id} bare />
            </>
          ) : null}
        </span>
      ) : null}
    </span>
  )
}

function WorkflowSelect({ document, workflow }: Omit<Props, 'terms'>) {
  const { id: workspaceId } = useWorkspace()
  const navigate = useNavigate()
  if (document.workflows.length < 2) return null
  return (
    <Select
      label={texts.workflow}
      data={document.workflows.map(({ workflow_id: value, name: label }) => ({ value, label }))}
      value={workflow.workflow_id}
      allowDeselect={false}
      w={240}
      onChange={(chosen) =>
        void navigate({
          to: '/w/$workspaceId/documents',
          params: { workspaceId },
          search: { record: document.record_id, workflow: chosen ?? undefined },
          resetScroll: false,
        })
      }
    />
  )
}
