import { t } from '../i18n/texts.ts'
import type { Camera } from './camera/camera.ts'

const ZOOM = 1.8

/** The buttons that zoom, for fans who do not pinch. */
export function MapControls({ camera, whole }: { camera: Camera; whole: string }) {
  const { zoom, mostZoom } = camera.drawn.value
  return (
    <div class="controls">
      <button
        type="button"
        aria-label={t('map.zoomIn')}
        disabled={zoom >= mostZoom * 0.999}
        onClick={() => camera.zoomBy(ZOOM)}
      >
        <svg viewBox="0 0 24 24" aria-hidden="true">
          <path d="M12 6v12M6 12h12" />
        </svg>
      </button>
      <button
        type="button"
        aria-label={t('map.zoomOut')}
        disabled={zoom <= 1}
        onClick={() => camera.zoomBy(1 / ZOOM)}
      >
        <svg viewBox="0 0 24 24" aria-hidden="true">
          <path d="M6 12h12" />
        </svg>
      </button>
      {zoom > 1 && (
        <button type="button" aria-label={whole} onClick={() => camera.showAll()}>
          <svg viewBox="0 0 24 24" aria-hidden="true">
            <path d="M5 10V5h5M14 5h5v5M19 14v5h-5M10 19H5v-5" />
          </svg>
        </button>
      )}
    </div>
  )
}
