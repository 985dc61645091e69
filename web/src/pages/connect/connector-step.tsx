import { Button, Group, SegmentedControl, Select, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { useApi } from '../../service/session.ts'
import { connectTexts as texts } from '../../texts/connect.ts'
import { capitalized } from '../../texts/nouns.ts'
import { CheckPanel } from '../connectors/check/check-panel.tsx'
import { findType, locationOf, offeredTypes } from '../connectors/connector-type.ts'
import { CreateIndex } from '../connectors/index/create-index.tsx'
import { checkQuery } from '../connectors/queries.ts'
import type { Connector, ConnectorType, Kind } from '../connectors/types.ts'
import { ConnectorFields } from './connector-fields.tsx'
import { GuideStep } from './guide-step.tsx'
import type { Guide } from './use-guide.ts'

type Props = {
  number: number
  kind: Kind
  guide: Guide
  types: ConnectorType[]
  connectors: Connector[]
  chosen: Connector | undefined
}

/** Connects a source or a destination, and tests it. */
export function ConnectorStep({ number, kind, guide, types, connectors, chosen }: Props) {
  const own = offeredTypes(types, kind)
  const [typeName, setTypeName] = useState(own[0]?.type ?? '')
  const type = findType(types, kind, chosen?.type ?? typeName)
  if (!type) return null
  const state = guide.step === kind ? 'open' : chosen ? 'done' : 'later'
  const next = kind === 'source' ? 'destination' : 'run'
  return (
    <GuideStep
      number={number}
      title={capitalized(kind === 'source' ? type.terms.system : type.terms.scope)}
      state={state}
      summary={chosen ? `${chosen.name} · ${locationOf(type, chosen.config)}` : null}
      onChange={() => void guide.go({ step: kind })}
    >
      <Stack gap="lg">
        {chosen ? (
          <Group gap="xs">
            <Text size="sm" c="dimmed">
              {texts.uses(chosen.name)}
            </Text>
            <Button
              variant="default"
              size="compact-xs"
              onClick={() => void guide.go({ [kind]: undefined, workflow: undefined, job: undefined })}
            >
              {texts.another[kind]}
            </Button>
          </Group>
        ) : (
          <Stack gap="md" maw={640}>
            {connectors.length > 0 ? (
              <Select
                label={texts.existing[kind]}
                placeholder={texts.existingPlaceholder}
                data={connectors.map(({ id, name }) => ({ value: id, label: name }))}
                value={null}
                onChange={(id) => id && void guide.go({ [kind]: id })}
              />
            ) : null}
            {own.length > 1 ? (
              <div>
                <SegmentedControl
                  aria-label={texts.type[kind]}
                  data={own.map((each) => ({ value: each.type, label: each.title }))}
                  value={type.type}
                  onChange={setTypeName}
                />
              </div>
            ) : null}
          </Stack>
        )}
        <ConnectorFields
          // A saved form starts again with the stored values.
          key={`${type.type} ${chosen?.id} ${chosen?.updated_at}`}
          type={type}
          existing={chosen}
          taken={connectors.map(({ name }) => name)}
          onSaved={({ id }) => guide.go({ [kind]: id, step: kind })}
        />
        {chosen ? (
          <>
            <CheckPanel
              plain
              kind={kind}
              id={chosen.id}
              allowed
              next={<NextButton kind={kind} id={chosen.id} onNext={() => void guide.go({ step: next })} />}
            />
            {type.capabilities.includes('create') ? <CreateIndex id={chosen.id} terms={type.terms} /> : null}
          </>
        ) : null}
      </Stack>
    </GuideStep>
  )
}

/** Takes the focus if the test ran on this page. */
function NextButton({ kind, id, onNext }: { kind: Kind; id: string; onNext: () => void }) {
  const button = useRef<HTMLButtonElement>(null)
  const { data } = useQuery(checkQuery(useApi(), kind, id))
  const reported = data?.reported_at
  useEffect(() => {
    if (reported && Date.now() - Date.parse(reported) < RECENT_MS) button.current?.focus()
  }, [reported])
  return (
    <Button ref={button} onClick={onNext}>
      {texts.next}
    </Button>
  )
}

/** Longer ago, the person did not wait for it. */
const RECENT_MS = 15_000
