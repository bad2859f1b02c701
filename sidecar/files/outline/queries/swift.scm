(class_declaration declaration_kind: "enum" name: (_) @name) @definition.enum
(class_declaration declaration_kind: "struct" name: (_) @name) @definition.struct
(class_declaration declaration_kind: "extension" name: (_) @name) @definition.extension
(class_declaration name: (_) @name) @definition.class
(protocol_declaration name: (_) @name) @definition.protocol
(function_declaration "func" . _ @name . ["(" (type_parameters)]) @definition.function
(protocol_function_declaration "func" . (simple_identifier) @name) @definition.function
((init_declaration "init" @name) @definition.function (#set! name "init"))
((subscript_declaration "subscript" @name (computed_property)? @body) @definition.method (#set! name "subscript"))
(source_file (property_declaration (value_binding_pattern "let") name: (pattern bound_identifier: (_) @name) @part) @definition.constant)
(source_file (property_declaration (value_binding_pattern "var") name: (pattern bound_identifier: (_) @name) @part) @definition.variable)
(property_declaration name: (pattern bound_identifier: (_) @name) @part) @definition.property
(protocol_property_declaration name: (pattern bound_identifier: (_) @name)) @definition.property
(enum_entry name: (_) @name @part) @definition.case
(typealias_declaration . (modifiers)? . "typealias" . (type_identifier) @name) @definition.type
(associatedtype_declaration "associatedtype" . (type_identifier) @name) @definition.type
(macro_declaration (simple_identifier) @name definition: (_)? @body) @definition.macro

((visibility_modifier) @hidden (#among? @hidden "private" "fileprivate"))
((attribute) @annotation (#seen? @annotation "^@(?:available|inlin|discard)|.{41}"))
(import_declaration (identifier . (_) @import))
((class_declaration (modifiers (attribute) @_main)) (#among? @_main "@main") (#set! entry "@main"))
(deinit_declaration) @local
