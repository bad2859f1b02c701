(contract_declaration name: (_) @name) @definition.contract
(interface_declaration name: (_) @name) @definition.interface
(library_declaration name: (_) @name) @definition.library
(struct_declaration name: (_) @name) @definition.struct
(struct_member name: (_) @name) @definition.field
(enum_declaration name: (_) @name) @definition.enum
(enum_value) @name @definition.case
(event_definition name: (_) @name) @definition.event
(error_declaration name: (_) @name) @definition.error
(modifier_definition name: (_) @name) @definition.modifier
(function_definition name: (_) @name) @definition.function
(constructor_definition "constructor" @name) @definition.constructor
(fallback_receive_definition ["receive" "fallback"] @name) @definition.function
(user_defined_type_definition name: (_) @name) @definition.type
(constant_variable_declaration name: (_) @name) @definition.constant
(state_variable_declaration name: (_) @name) @definition.field

(import_directive source: (_) @import)
