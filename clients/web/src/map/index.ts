// The chunk that is loaded when a map is shown for the first time.
import '../style/map.css'

export { HallFigure } from './HallFigure.tsx'
export { SectionFigure } from './SectionFigure.tsx'
