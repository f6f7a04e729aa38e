import SwiftOperators
import SwiftSyntax

/// Finds what can be broken in one file, and how.
final class Finder: SyntaxVisitor {
  private(set) var found: [(mutant: Mutant, edits: (Int) -> [Edit])] = []
  private let path: String
  private let converter: SourceLocationConverter
  private var places: [String] = []
  /// How deep in initializers: what they assign has to be assigned.
  private var initializers = 0
  /// Declared without a value: what gives it one cannot be left out.
  private var assignedLater: Set<String> = []
  private var depth = 0
  private var ordinals: [String: Int] = [:]

  /// What stops the program or only watches it: without it nothing else happens.
  private static let watching: Set<String> = [
    "self.init", "super.init", "assert", "assertionFailure", "precondition", "preconditionFailure",
    "fatalError", "releaseAssert", "debugPrint",
  ]

  init(path: String, tree: Syntax) {
    self.path = path
    converter = SourceLocationConverter(fileName: path, tree: tree)
    super.init(viewMode: .sourceAccurate)
  }

  // MARK: Where we are

  private func enter(_ name: String) -> SyntaxVisitorContinueKind {
    places.append(name)
    return .visitChildren
  }

  override func visit(_ node: StructDeclSyntax) -> SyntaxVisitorContinueKind { enter(node.name.text) }
  override func visitPost(_: StructDeclSyntax) { places.removeLast() }
  override func visit(_ node: ClassDeclSyntax) -> SyntaxVisitorContinueKind { enter(node.name.text) }
  override func visitPost(_: ClassDeclSyntax) { places.removeLast() }
  override func visit(_ node: EnumDeclSyntax) -> SyntaxVisitorContinueKind { enter(node.name.text) }
  override func visitPost(_: EnumDeclSyntax) { places.removeLast() }
  override func visit(_ node: ExtensionDeclSyntax) -> SyntaxVisitorContinueKind {
    enter(node.extendedType.trimmedDescription)
  }
  override func visitPost(_: ExtensionDeclSyntax) { places.removeLast() }
  override func visit(_ node: FunctionDeclSyntax) -> SyntaxVisitorContinueKind { enter(node.name.text) }
  override func visitPost(_: FunctionDeclSyntax) { places.removeLast() }
  override func visit(_ node: VariableDeclSyntax) -> SyntaxVisitorContinueKind {
    let name = node.bindings.first?.pattern.trimmedDescription ?? "_"
    for binding in node.bindings where binding.initializer == nil && binding.accessorBlock == nil {
      assignedLater.insert(binding.pattern.trimmedDescription)
    }
    return enter(name)
  }
  override func visitPost(_: VariableDeclSyntax) { places.removeLast() }
  override func visit(_: InitializerDeclSyntax) -> SyntaxVisitorContinueKind {
    initializers += 1
    return enter("init")
  }
  override func visitPost(_: InitializerDeclSyntax) {
    initializers -= 1
    places.removeLast()
  }

  // What cannot be otherwise, or is no matter of ours.
  override func visit(_: ExpressionPatternSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
  override func visit(_: AttributeSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
  override func visit(_: ImportDeclSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
  override func visit(_: IfConfigDeclSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
  override func visit(_: MacroExpansionExprSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
  override func visit(_ node: EnumCaseElementSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
  override func visit(_ node: FunctionCallExprSyntax) -> SyntaxVisitorContinueKind {
    Self.watching.contains(node.calledExpression.trimmedDescription) ? .skipChildren : .visitChildren
  }

  // MARK: What can be broken

  override func visit(_ node: ConditionElementSyntax) -> SyntaxVisitorContinueKind {
    guard case .expression(let condition) = node.condition else { return .visitChildren }
    // The compiler reads `while true`: nothing comes behind it.
    if condition.is(BooleanLiteralExprSyntax.self) { return .skipChildren }
    negate(condition)
    return .visitChildren
  }

  override func visit(_ node: TernaryExprSyntax) -> SyntaxVisitorContinueKind {
    negate(node.condition)
    return .visitChildren
  }

  private func negate(_ condition: ExprSyntax) {
    wrap(.condition, condition, "!(…)", before: { _ in "((" }, after: { ") != Mutant.is(\($0)))" })
  }

  override func visit(_ node: InfixOperatorExprSyntax) -> SyntaxVisitorContinueKind {
    guard let sign = node.operator.as(BinaryOperatorExprSyntax.self)?.operator else { return .visitChildren }
    let function: String
    let other: String
    switch sign.text {
    case "<": (function, other) = ("less", "<=")
    case "<=": (function, other) = ("atMost", "<")
    case ">": (function, other) = ("more", ">=")
    case ">=": (function, other) = ("atLeast", ">")
    case "==", "!=":
      wrap(
        .comparison, ExprSyntax(node), sign.text == "==" ? "!=" : "==", before: { _ in "((" },
        after: { ") != Mutant.is(\($0)))" })
      return .visitChildren
    case "&&": (function, other) = ("and", "||")
    case "||": (function, other) = ("or", "&&")
    default: return .visitChildren
    }
    let offset = sign.positionAfterSkippingLeadingTrivia.utf8Offset
    let length = sign.trimmedLength.utf8Length
    wrap(
      sign.text == "&&" || sign.text == "||" ? .junction : .comparison, ExprSyntax(node), other,
      before: { "Mutant.\(function)(\($0), " }, after: { _ in ")" },
      between: Edit(offset: offset, length: length, text: ",", order: 0))
    return .visitChildren
  }

  override func visit(_ node: IntegerLiteralExprSyntax) -> SyntaxVisitorContinueKind {
    let digits = node.literal.text.replacing("_", with: "")
    guard let value = Int(digits) else { return .visitChildren }
    wrap(
      .constant, ExprSyntax(node), "\(value + 1)", before: { "Mutant.pick(\($0), " },
      after: { _ in ", \(value + 1))" })
    return .visitChildren
  }

  override func visit(_ node: FloatLiteralExprSyntax) -> SyntaxVisitorContinueKind {
    guard let value = Double(node.literal.text.replacing("_", with: "")) else { return .visitChildren }
    let other = value == 0 ? 1 : value * 2
    wrap(
      .constant, ExprSyntax(node), "\(other)", before: { "Mutant.pick(\($0), " },
      after: { _ in ", \(other))" })
    return .visitChildren
  }

  override func visit(_ node: BooleanLiteralExprSyntax) -> SyntaxVisitorContinueKind {
    let other = node.literal.text == "true" ? "false" : "true"
    wrap(.constant, ExprSyntax(node), other, before: { _ in "(" }, after: { " != Mutant.is(\($0)))" })
    return .visitChildren
  }

  override func visit(_ node: CodeBlockItemSyntax) -> SyntaxVisitorContinueKind {
    guard case .expr(let whole) = node.item, places.count > 1 || initializers > 0 else {
      return .visitChildren
    }
    var statement = whole
    while let inner = statement.as(TryExprSyntax.self)?.expression
      ?? statement.as(AwaitExprSyntax.self)?.expression
    {
      statement = inner
    }
    let kind: Mutant.Kind
    if let call = statement.as(FunctionCallExprSyntax.self) {
      guard !Self.watching.contains(call.calledExpression.trimmedDescription), !isValue(node) else {
        return .visitChildren
      }
      kind = .call
    } else if let infix = statement.as(InfixOperatorExprSyntax.self), initializers == 0 {
      let isAssignment =
        infix.operator.is(AssignmentExprSyntax.self)
        || ["+=", "-=", "*=", "/=", "|=", "&="].contains(infix.operator.trimmedDescription)
      guard isAssignment, !isValue(node), !assignedLater.contains(infix.leftOperand.trimmedDescription) else {
        return .visitChildren
      }
      kind = .assignment
    } else {
      return .visitChildren
    }
    wrap(kind, whole, "", before: { "if !Mutant.is(\($0)) { " }, after: { _ in " }" })
    return .visitChildren
  }

  /// It is all that there is in a closure, an accessor or a function that returns something: its value may be wanted.
  private func isValue(_ node: CodeBlockItemSyntax) -> Bool {
    guard let list = node.parent?.as(CodeBlockItemListSyntax.self), list.count == 1 else { return false }
    guard let around = list.parent else { return false }
    if around.is(ClosureExprSyntax.self) || around.is(AccessorBlockSyntax.self) { return true }
    if let function = around.parent?.as(FunctionDeclSyntax.self) {
      return function.signature.returnClause != nil
    }
    guard let branches = branches(around) else { return false }
    // Of a `switch` or an `if` that stands in an assignment or behind `return` each branch is a value.
    guard let statement = branches.parent?.as(ExpressionStmtSyntax.self) else { return true }
    return statement.parent?.as(CodeBlockItemSyntax.self).map(isValue) ?? false
  }

  /// The `switch` or the whole chain of `if` that this is a branch of.
  private func branches(_ body: Syntax) -> Syntax? {
    if body.is(SwitchCaseSyntax.self) { return body.parent?.parent }
    var outermost: Syntax?
    var next = body.parent
    while let one = next, one.is(IfExprSyntax.self) { (outermost, next) = (one, one.parent) }
    return outermost
  }

  private func wrap(
    _ kind: Mutant.Kind, _ node: ExprSyntax, _ after: String, before opening: @escaping (Int) -> String,
    after closing: @escaping (Int) -> String, between: Edit? = nil
  ) {
    let start = node.positionAfterSkippingLeadingTrivia
    let end = node.endPositionBeforeTrailingTrivia.utf8Offset
    let location = converter.location(for: start)
    var mutant = Mutant(
      kind: kind, path: path, line: location.line, column: location.column,
      place: places.joined(separator: "."), before: inOneLine(node), after: after)
    ordinals[mutant.name, default: 0] += 1
    mutant.ordinal = ordinals[mutant.name, default: 1]
    depth += 1
    let level = depth
    found.append(
      (
        mutant,
        { number in
          var edits = [
            Edit(offset: start.utf8Offset, text: opening(number), order: 1_000_000 + level),
            Edit(offset: end, text: closing(number), order: -level),
          ]
          if let between { edits.append(between) }
          return edits
        }
      ))
  }

  private func inOneLine(_ node: ExprSyntax) -> String {
    let words = node.trimmedDescription.split { $0 == " " || $0 == "\n" }.joined(separator: " ")
    return words.count > 100 ? words.prefix(100) + "…" : words
  }
}
