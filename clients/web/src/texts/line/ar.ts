import type { texts as en } from './en.ts'

export const texts: Record<keyof typeof en, string> = {
  inLine: 'أنت في الطابور',
  drawnLater: 'تُحدَّد كل الأماكن بالقرعة عند بدء البيع، ثم تعرض هذه الصفحة مكانك.',
  yourPlace: 'مكانك في الطابور',
  yourTurn: 'حان دورك. لحظة…',
  ahead: 'أمامك',
  noneAhead: 'لا أحد: أنت التالي',
  people:
    '.input {$count :integer} .match $count zero {{لا أحد}} one {{شخص واحد}} two {{شخصان}} few {{{$count} أشخاص}} many {{{$count} شخصًا}} * {{{$count} شخص}}',
  yourWait: 'مدة انتظارك',
  waitPaused: 'الطابور متوقف للحظات',
  waitUnknown: 'غير معروفة الآن',
  anyMoment: 'في أي لحظة',
  untilFree: 'حتى يتوفر مقعد',
  seats: 'المقاعد',
  seatsFree:
    '.input {$count :integer} .match $count zero {{لا مقاعد متاحة}} one {{مقعد واحد متاح}} two {{مقعدان متاحان}} few {{{$count} مقاعد متاحة}} many {{{$count} مقعدًا متاحًا}} * {{{$count} مقعد متاح}}',
  seatsFreeHeld:
    '.input {$count :integer} .match $count zero {{لا مقاعد متاحة، و{$held :integer} محجوز}} one {{مقعد واحد متاح، و{$held :integer} محجوز}} two {{مقعدان متاحان، و{$held :integer} محجوز}} few {{{$count} مقاعد متاحة، و{$held :integer} محجوز}} many {{{$count} مقعدًا متاحًا، و{$held :integer} محجوز}} * {{{$count} مقعد متاح، و{$held :integer} محجوز}}',
  allHeld:
    'كل المقاعد محجوزة لأشخاص ما زال بإمكانهم الدفع. قد يصبح بعضها متاحًا. يمكنك الانتظار دون أن تخسر شيئًا.',
  mayNotReach: 'قد لا تكفي المقاعد حتى مكانك. يمكنك الانتظار: بعض من أمامك لن يشتروا.',
  mayClose: 'يمكنك إغلاق هذه الصفحة: مكانك محفوظ على هذا الجهاز. فتح الصفحة مرتين لا يغيّر مكانك.',
  leave: 'غادر الطابور',
  leaveQuestion: 'هل تغادر الطابور؟ ستفقد مكانك.',
  stay: 'ابقَ',
  leaveNow: 'غادر',

  howToCheckLater: 'كيف يمكن التحقق لاحقًا',
  checkDraw: 'تحقّق من القرعة',
  noteNow:
    'دوّن الآن الالتزام ورقم وصولك. الالتزام يخص رقمًا سريًا اختير قبل فتح الطابور. يُنشر الرقم عند القرعة، فيستطيع أي شخص حساب كل الأماكن منه.',
  computeYourself:
    'البذرة هي الرقم الذي يخصه الالتزام، وكل مكان ينتج من البيانات هنا. يحسب هذا الأمر من برنامج Fairgate مكانك ويقارنه. يمكنك أيضًا حسابه بنفسك:',
  event: 'الفعالية',
  yourArrival: 'رقم وصولك',
  place: 'مكانك',
  inDraw: 'في القرعة',
  commitment: 'الالتزام',
  seed: 'البذرة',
  randomnessFrom: 'العشوائية العامة من',
  randomness: 'العشوائية العامة',
  joinedBefore:
    'كنت رقم {$arrival :integer} في الانضمام. عند بدء البيع يوضع كل من انضم في ترتيب عشوائي. لا يهم من انضم أولًا.',
  noDraw: 'كنت رقم {$arrival :integer} في الانضمام. لم ينضم أحد قبل بدء البيع، فلم تُجرَ قرعة.',
  joinedAfter:
    'كنت رقم {$arrival :integer} في الانضمام. أُجريت القرعة أولًا بين من انضموا قبل بدء البيع وعددهم {$size :integer}. تأتي بعدهم بحسب ترتيب الوصول.',
  waitsForRandomness:
    'كنت رقم {$arrival :integer} في الانضمام. عدد المشاركين في القرعة {$size :integer}، وهي تنتظر العشوائية العامة: {$source}.',
  drawInProgress: 'كنت رقم {$arrival :integer} في الانضمام. القرعة جارية.',
  drawn:
    'كنت رقم {$arrival :integer} في الانضمام. حصلت في القرعة على المكان {$place :integer} من {$size :integer}.',
}
