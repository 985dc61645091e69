import { Alert, Anchor, Select, Stack, Text, Title } from '@mantine/core'
import { IconAlertTriangle, IconExternalLink } from '@tabler/icons-react'
import { useState } from 'react'
import { DocumentLink } from '../../../components/document-link.tsx'
import { isOpenable } from '../../../components/openable.ts'
import { workflowsTexts } from '../../../texts/workflows.ts'
import { useSourceTerms } from '../../connectors/source-terms.ts'
import { sentence, warningWords } from '../../jobs/error-advice.ts'
import { NodeResults } from './node-results.tsx'
import { Original } from './original.tsx'
import classes from './preview-result.module.css'
import { ReaderNames } from './reader-names.tsx'
import { readersOf } from './readers.ts'
import type { PreviewDocument } from './types.ts'

const texts = workflowsTexts.preview

type Props = {
  documents: PreviewDocument[]
  /** Names of people and groups by id. */
  names?: ReadonlyMap<string, string>
  sourceId: string | undefined
  /** The workflow and its destination; the sample has none. */
  workflow?: { id: string; destinationId: string | undefined }
  /** The level of its headings. */
  level?: 2 | 3
}

/** A document next to the output of each node. */
export function PreviewResult({ documents, names, sourceId, workflow, level = 2 }: Props) {
  const { system } = useSourceTerms(sourceId)
  const [chosen, setChosen] = useState(documents[0]?.record_id ?? '')
  const document = documents.find(({ record_id: id }) => id === chosen) ?? documents[0]
  if (!document) return null
  const readers = readersOf(document)
  return (
    <Stack gap="md">
      {documents.length > 1 ? (
        <Select
          label={texts.document}
          maw={480}
          data={documents.map(({ record_id: value, title }) => ({ value, label: title || value }))}
          value={document.record_id}
          allowDeselect={false}
          onChange={(id) => id && setChosen(id)}
        />
      ) : null}
      <div className={classes.columns}>
        <section className={classes.column}>
          <Title order={level}>{texts.original}</Title>
          <Text size="sm">
            {document.title}{' '}
            {isOpenable(document.url) ? (
              <Anchor href={document.url} target="_blank" rel="noreferrer" size="sm">
                {texts.openOriginal(system)} <IconExternalLink size={14} aria-hidden="true" />
              </Anchor>
            ) : null}{' '}
            {workflow ? (
              <DocumentLink recordId={document.record_id} workflowId={workflow.id} size="sm">
                {texts.openDocument}
              </DocumentLink>
            ) : null}
          </Text>
          {document.html === null ? (
            <Text c="dimmed">{texts.noHtml}</Text>
          ) : (
            <Original html={document.html} title={document.title} />
          )}
        </section>
        <section className={classes.column}>
          <Title order={level}>{texts.results}</Title>
          {document.error ? (
            <Alert variant="outline" color="var(--mr-bad)" icon={<IconAlertTriangle size={18} />}>
              {document.error.message}
            </Alert>
          ) : null}
          {readers ? (
            <ReaderNames tokens={readers} names={names} destinationId={workflow?.destinationId} />
          ) : null}
          {document.warnings.length > 0 ? (
            <Alert
              variant="outline"
              color="var(--mr-warning)"
              icon={<IconAlertTriangle size={18} />}
              title={texts.warnings}
            >
              {document.warnings.map(({ code, message }) => (
                <Text key={code} size="sm">
                  {sentence(warningWords(code, message))}
                </Text>
              ))}
            </Alert>
          ) : null}
          {document.nodes.length > 0 ? <NodeResults key={document.record_id} nodes={document.nodes} /> : null}
        </section>
      </div>
    </Stack>
  )
}
