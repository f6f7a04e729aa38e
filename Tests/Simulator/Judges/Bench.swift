/// All judges, in the order in which they are asked: the one table that a new one is put into.
enum Bench {
  static var judges: [any Judge] { telling + places + beacons + modes + disk + line + end }

  private static var telling: [any Judge] {
    [
      PublishedReasons(), WithheldReasons(), ManualMode(), WantedAccuracy(), ColdStart(), BestOfWindow(),
      SignsOfLife(), MoveInterval(), Points(), OwedPoints(), FullHistory(), WholeHistory(),
      CallsForHelp(),
    ]
  }
  private static var places: [any Judge] {
    [
      ConfirmedCrossings(), StandingVehicle(), PromptCrossings(), DwellStays(), DwellOverStart(),
      FollowedCircles(), PrivateRegions(), SpeedLimits(), PlacesOfCrossings(), ChangedRegions(),
      CirclesThatGoAlong(), TimesOfReports(), BelievedReceiver(), RestingReceiver(),
    ]
  }
  private static var beacons: [any Judge] {
    [
      BeaconCrossings(), HeardBeacons(), FarBeacons(), BeaconsNearby(), UnknownBeacons(), FaintBeacons(),
      RadioDuty(),
    ]
  }
  private static var modes: [any Judge] {
    [AutomaticModes(), ModeRules(), LowVehicleBattery(), CheckIns(), SteppingDown()]
  }
  private static var disk: [any Judge] {
    [
      Agreement(), WholeBatches(), RegionsOverStarts(), AnswersToPeople(), SentEvents(), RemovedMessages(),
      TakenMessages(), ThinnedQueue(), QueueLimit(), StoreSize(), OnePageAtATime(), FlippedBits(),
      Wakefulness(),
    ]
  }
  private static var line: [any Judge] {
    [
      Attempts(), ConnectionNews(), Patience(), Continuity(), EndsInARow(), SendWindow(), Resending(),
      RefusedMessages(), OldMessages(), NamedTopics(), StatusWord(), ObeyedCommands(),
    ]
  }
  /// What is left to be said when the world is over.
  private static var end: [any Judge] {
    [
      RunningProcess(), NothingWaits(), EveryMessageArrives(), ToldOnce(), OrderOfTopics(), EnterAndLeave(),
      LeavesBeforeEnters(), TripsTakeTurns(), QuietMode(), TimesOfLocations(), StillAtTheEnd(),
      PictureAtTheEnd(), AnnouncedRegions(), TruePlaces(), TrueCrossings(), CalmCrossings(),
    ]
  }
}
